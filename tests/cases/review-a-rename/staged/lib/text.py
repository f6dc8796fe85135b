from lib.slugs import slug


def title(text):
    return text.title()
