//! Where C headers are: beside the file, in the include folders above it, and wherever only one
//! file has the name.

use super::path::{folder, join, upwards};
use super::{Answer, Importer};

/// Folders that are searched for headers, in each folder upwards.
const INCLUDE_FOLDERS: [&str; 4] = ["include", "", "src", "inc"];

/// Headers of the C and POSIX libraries and of Windows without a folder before them. A local file
/// of the same name at best replaces a missing one.
const SYSTEM: &str = "aio.h assert.h complex.h conio.h cpio.h crtdbg.h ctype.h dirent.h dlfcn.h \
errno.h execinfo.h fcntl.h fenv.h float.h fmtmsg.h fnmatch.h ftw.h getopt.h glob.h grp.h iconv.h \
ifaddrs.h immintrin.h intrin.h inttypes.h io.h iphlpapi.h iso646.h langinfo.h libgen.h limits.h \
locale.h malloc.h math.h memory.h monetary.h netdb.h ndbm.h nl_types.h poll.h process.h \
pthread.h pwd.h regex.h resolv.h sched.h search.h semaphore.h setjmp.h share.h signal.h spawn.h \
stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h \
string.h strings.h stropts.h sysexits.h syslog.h tar.h tchar.h termios.h tgmath.h threads.h \
time.h trace.h uchar.h ulimit.h unistd.h utime.h utmpx.h wchar.h wctype.h windows.h winsock2.h \
wordexp.h ws2tcpip.h x86intrin.h xmmintrin.h emmintrin.h";

/// Folders of the system's headers.
const SYSTEM_FOLDERS: [&str; 12] = [
    "sys",
    "net",
    "netinet",
    "arpa",
    "linux",
    "asm",
    "bits",
    "mach",
    "machine",
    "asm-generic",
    "rpc",
    "CoreFoundation",
];

impl Importer<'_> {
    /// `"a/b.h"`
    pub(super) fn quoted_header(&self, path: &str) -> Answer {
        let beside = join(folder(self.file.as_str()), path);
        match self.files().file(&beside) {
            Some(found) => Answer::Found(vec![found]),
            None => match self.header(path) {
                Answer::Outside if !is_system(path) && self.has_folder_of(path) => Answer::Missing,
                answer => answer,
            },
        }
    }

    /// Whether a header's folder, if it names one, is in this repository.
    fn has_folder_of(&self, path: &str) -> bool {
        let folder = folder(path);
        let is_plain = folder.is_empty() || folder.starts_with('.');
        is_plain || !self.files().folders_ending_with(folder).is_empty()
    }

    /// `<a/b.h>`
    pub(super) fn header(&self, path: &str) -> Answer {
        if is_system(path) {
            return Answer::Outside;
        }
        let folders = upwards(self.file.as_str());
        let near = folders.flat_map(|folder| INCLUDE_FOLDERS.map(|name| join(folder, name)));
        if let Some(found) = self.files().first(near.map(|folder| join(&folder, path))) {
            return Answer::Found(vec![found]);
        }
        // What climbs is relative to the file only.
        if path.split('/').any(|part| part == "..") {
            return Answer::Outside;
        }
        match self.files().ending_with(path).as_slice() {
            [only] => Answer::of(self.files().file(only)),
            [] => Answer::Outside,
            // Which of them is meant, the build decides.
            _ => Answer::Missing,
        }
    }
}

fn is_system(path: &str) -> bool {
    match path.split_once('/') {
        Some((folder, _)) => SYSTEM_FOLDERS.contains(&folder),
        // C++ has no ending.
        None => !path.contains('.') || SYSTEM.split_ascii_whitespace().any(|known| known == path),
    }
}
