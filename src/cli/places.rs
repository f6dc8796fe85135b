//! Where the user's own files for packer are.

use std::path::PathBuf;

/// A folder of the user's, as the system names it.
struct Place {
    /// The variable that names it on every system.
    xdg: &'static str,
    /// Where it is below the user's home if that is not set.
    below_home: &'static str,
    /// The variable that names it on Windows.
    windows: &'static str,
}

const CACHE: Place = Place {
    xdg: "XDG_CACHE_HOME",
    below_home: ".cache",
    windows: "LOCALAPPDATA",
};
const CONFIG: Place = Place {
    xdg: "XDG_CONFIG_HOME",
    below_home: ".config",
    windows: "APPDATA",
};

/// Returns the user's cache folder for packer, if the environment has one.
pub(super) fn cache() -> Option<PathBuf> {
    folder(&CACHE, cfg!(windows), named_by)
}

/// Returns the folder of the user's own settings for packer, if the environment says where they
/// are.
pub(super) fn config() -> Option<PathBuf> {
    folder(&CONFIG, cfg!(windows), named_by)
}

/// Returns the user's home.
pub(super) fn home() -> Option<PathBuf> {
    named_by("HOME").or_else(|| named_by("USERPROFILE").filter(|_| cfg!(windows)))
}

fn folder(
    place: &Place,
    is_windows: bool,
    named_by: impl Fn(&str) -> Option<PathBuf>,
) -> Option<PathBuf> {
    let folder = named_by(place.xdg).or_else(|| {
        if is_windows {
            named_by(place.windows)
        } else {
            Some(named_by("HOME")?.join(place.below_home))
        }
    })?;
    Some(folder.join("packer"))
}

/// Returns the folder that an environment variable names. A relative or empty one would be in
/// whatever folder the command is run in, such as somebody else's repository.
fn named_by(variable: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).map(PathBuf::from);
    folder.filter(|path| path.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_system_has_its_own_places() {
        let find = |is_windows, set: &[(&str, &str)]| {
            let named = |name: &str| {
                let found = set.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| PathBuf::from(value))
            };
            let text = |path: Option<PathBuf>| {
                path.map(|path| path.to_str().unwrap_or_default().replace('\\', "/"))
            };
            [&CACHE, &CONFIG].map(|place| text(folder(place, is_windows, named)))
        };
        let home = ("HOME", "/home/a");
        let some = |text: &str| Some(text.to_owned());
        let unix = [
            some("/home/a/.cache/packer"),
            some("/home/a/.config/packer"),
        ];
        assert_eq!(find(false, &[home, ("APPDATA", "/b")]), unix);
        let windows = [home, ("APPDATA", "/roaming"), ("LOCALAPPDATA", "/local")];
        assert_eq!(
            find(true, &windows),
            [some("/local/packer"), some("/roaming/packer")]
        );
        let named = [home, ("XDG_CONFIG_HOME", "/x")];
        assert_eq!(find(true, &named), [None, some("/x/packer")]);
        assert_eq!(find(false, &named), [unix[0].clone(), some("/x/packer")]);
    }
}
