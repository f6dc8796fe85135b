package mime

import "example.org/mime/text"
