//! Writes files, only those that the caller asks for and only where it asks for them.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::read::reason;
use super::{Repo, RepoPath};
use crate::error::{Error, ErrorKind};

/// Writes `text` to `path`, completely or not at all: to a file without a name, or where the system
/// has none to a temporary one beside it, which is then renamed. An existing file is replaced and
/// keeps its permissions. A device or pipe of the system's own folder, such as `/dev/null`, is
/// written to as it is.
///
/// # Errors
///
/// [`ErrorKind::File`], naming the path and the reason.
pub fn write_whole(path: &Path, text: &str) -> Result<(), Error> {
    write_with(path, |file| file.write_all(text.as_bytes()))
}

/// Writes a text that comes in parts to `path`, as [`write_whole`] does. Returns what the writing
/// returns.
///
/// # Errors
///
/// The errors of [`write_whole`], also when the writing itself fails.
pub fn write_with<T>(
    path: &Path,
    write: impl FnOnce(&mut (dyn Write + Send)) -> std::io::Result<T>,
) -> Result<T, Error> {
    replace(path, write).map_err(|e| cannot_write(path, e))
}

fn replace<T>(
    path: &Path,
    write: impl FnOnce(&mut (dyn Write + Send)) -> std::io::Result<T>,
) -> std::io::Result<T> {
    if is_of_the_system(path) {
        let mut device = std::fs::OpenOptions::new().write(true).open(path)?;
        return write(&mut device);
    }
    // Renaming over a device or a link would destroy what it stands for.
    if std::fs::symlink_metadata(path).is_ok_and(|meta| !meta.is_file()) {
        return Err(std::io::Error::other("it exists and is not a regular file"));
    }
    #[cfg(target_os = "linux")]
    if let Some(mut file) = without_name(path) {
        keep_permissions(&file, path)?;
        let done = write(&mut file)?;
        named(&file, path)?;
        return Ok(done);
    }
    let mut file = beside(path)?;
    #[cfg(unix)]
    keep_permissions(file.as_file(), path)?;
    let done = write(file.as_file_mut())?;
    file.persist(path).map_err(|e| e.error)?;
    Ok(done)
}

/// Whether this is a device or pipe by a name that the system gives, such as `/dev/null` and
/// `/dev/fd/3`. One elsewhere, in a repository, may wait for ever for a reader.
#[cfg(unix)]
fn is_of_the_system(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    let streams = |kind: std::fs::FileType| kind.is_char_device() || kind.is_fifo();
    super::resolve(Path::new(""), path).starts_with("/dev")
        && std::fs::metadata(path).is_ok_and(|meta| streams(meta.file_type()))
}

#[cfg(not(unix))]
fn is_of_the_system(_: &Path) -> bool {
    false
}

/// Makes a new file in the folder of `path` that has no name yet, so that nothing of it stays if
/// the process is ended; `None` if the system has no such files.
#[cfg(target_os = "linux")]
fn without_name(path: &Path) -> Option<std::fs::File> {
    use rustix::fs::{Mode, OFlags, open};
    // It is given its name by the one that it has there.
    std::fs::metadata(OWN_FILES).ok()?;
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(NEW);
    Some(open(folder_of(path), flags, mode).ok()?.into())
}

/// Where the system lists the open files of this process.
#[cfg(target_os = "linux")]
const OWN_FILES: &str = "/proc/self/fd";

/// Gives such a file the name `path`, replacing what had it.
#[cfg(target_os = "linux")]
fn named(file: &std::fs::File, path: &Path) -> std::io::Result<()> {
    use std::os::fd::AsRawFd as _;

    use rustix::fs::{AtFlags, CWD, linkat};
    let own = format!("{OWN_FILES}/{}", file.as_raw_fd());
    let link = |name: &Path| -> std::io::Result<()> {
        Ok(linkat(CWD, &own, CWD, name, AtFlags::SYMLINK_FOLLOW)?)
    };
    // A link replaces nothing, but a renamed file does.
    match link(path) {
        Err(why) if why.kind() == std::io::ErrorKind::AlreadyExists => {}
        done => return done,
    }
    let mut builder = tempfile::Builder::new();
    let beside = builder.prefix(".packer-").make_in(folder_of(path), link)?;
    beside.persist(path).map(drop).map_err(|e| e.error)
}

/// Makes a new file that will be renamed to `path`.
fn beside(path: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".packer-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(NEW));
    builder.tempfile_in(folder_of(path))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn cannot_write(path: &Path, error: std::io::Error) -> Error {
    let message = format!(
        "cannot write `{}`: {}",
        crate::show::path(path),
        reason(&error)
    );
    Error::say(ErrorKind::File, message).caused_by(error)
}

/// Writes `text` to a file that must not exist yet, completely or not at all, and creates the
/// folders above it.
///
/// # Errors
///
/// [`ErrorKind::File`], naming the path and the reason.
pub fn write_new(path: &Path, text: &str) -> Result<(), Error> {
    create(path, text).map_err(|e| cannot_create(path, e))
}

fn create(path: &Path, text: &str) -> std::io::Result<()> {
    std::fs::create_dir_all(folder_of(path))?;
    let mut file = beside(path)?;
    file.write_all(text.as_bytes())?;
    file.persist_noclobber(path).map_err(|e| e.error)?;
    Ok(())
}

fn cannot_create(path: &Path, error: std::io::Error) -> Error {
    if error.kind() != std::io::ErrorKind::AlreadyExists {
        return cannot_write(path, error);
    }
    let message = format!("`{}` already exists", crate::show::path(path));
    let help = "nothing is overwritten: choose another name, or edit the file";
    Error::advise(ErrorKind::File, message, help).caused_by(error)
}

impl Repo {
    /// Writes a file of the repository that must not exist yet, and creates the folders above it.
    /// None of them may be a link.
    ///
    /// # Errors
    ///
    /// The errors of [`write_new`].
    pub fn write_new(&self, path: &RepoPath, text: &str) -> Result<(), Error> {
        self.without_links(path)?;
        let written = self
            .hold(path, true)
            .and_then(|held| create(&held.path, text));
        written.map_err(|e| cannot_create(&self.root().join(path.as_str()), e))
    }

    /// Writes over a file of the repository, of which no part may be a link.
    pub(super) fn write_over(&self, path: &RepoPath, text: &str) -> Result<(), Error> {
        let written = self
            .hold(path, false)
            .and_then(|held| replace(&held.path, |file| file.write_all(text.as_bytes())));
        written.map_err(|e| cannot_write(&self.root().join(path.as_str()), e))
    }

    /// Holds the folder of a path, so that nobody can replace it. The folders above it may be
    /// created.
    #[cfg(target_os = "linux")]
    fn hold(&self, path: &RepoPath, makes: bool) -> std::io::Result<Held> {
        use std::os::fd::AsRawFd as _;

        use rustix::fs::{Mode, mkdirat};
        if std::fs::metadata(OWN_FILES).is_err() {
            return Ok(Held::by_name(self.root().join(path.as_str())));
        }
        let mut folder = self.door.folder("")?;
        let mut parts = path.upwards().skip(1).collect::<Vec<_>>();
        parts.retain(|part| !part.is_root());
        for part in parts.iter().rev() {
            let opened = self.door.folder(part.as_str());
            folder = match opened {
                Err(why) if makes && why.kind() == std::io::ErrorKind::NotFound => {
                    match mkdirat(&folder, part.name(), Mode::from_raw_mode(0o777)) {
                        Err(rustix::io::Errno::EXIST) | Ok(()) => {}
                        Err(why) => return Err(why.into()),
                    }
                    self.door.folder(part.as_str())?
                }
                opened => opened?,
            };
        }
        let place = format!("{OWN_FILES}/{}/{}", folder.as_raw_fd(), path.name());
        Ok(Held {
            path: place.into(),
            _folder: Some(folder),
        })
    }

    #[cfg(not(target_os = "linux"))]
    fn hold(&self, path: &RepoPath, _: bool) -> std::io::Result<Held> {
        Ok(Held::by_name(self.root().join(path.as_str())))
    }
}

/// Where a file is written.
struct Held {
    /// By the folder that is open, whatever has its name now.
    path: PathBuf,
    #[cfg(target_os = "linux")]
    _folder: Option<std::os::fd::OwnedFd>,
}

impl Held {
    fn by_name(path: PathBuf) -> Held {
        Held {
            path,
            #[cfg(target_os = "linux")]
            _folder: None,
        }
    }
}

/// Makes a separate folder for another program's files, removed when it is dropped.
///
/// # Errors
///
/// Says why there is none.
pub fn scratch_folder() -> Result<tempfile::TempDir, String> {
    tempfile::Builder::new()
        .prefix("packer-")
        .tempdir()
        .map_err(|e| format!("no temporary folder: {}", reason(&e)))
}

/// The permissions of a new file, some of which the process's umask removes.
#[cfg(unix)]
const NEW: u32 = 0o666;

/// Gives a file the permissions of the one that it replaces, if there is one.
#[cfg(unix)]
fn keep_permissions(file: &std::fs::File, path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let Ok(meta) = std::fs::metadata(path) else {
        return Ok(());
    };
    // Whoever it runs as, nobody else is to run as that.
    let wanted = meta.permissions().mode() & 0o777;
    let kept = file.set_permissions(std::fs::Permissions::from_mode(wanted));
    // Some file systems have none to set. Then only nobody more may read it.
    let is_wider = || -> std::io::Result<bool> {
        Ok(file.metadata()?.permissions().mode() & 0o777 & !wanted != 0)
    };
    match kept {
        Err(why) if is_wider()? => Err(why),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Somebody who can write into the repository may replace a folder with a link meanwhile.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_written_goes_into_the_folder_that_was_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let (root, outside) = (folder.path().join("root"), folder.path().join("outside"));
        std::fs::create_dir_all(&root).unwrap();
        std::fs::create_dir(&outside).unwrap();
        let repo = Repo::open(&root).unwrap();
        let path = RepoPath::parse("a/b/new").unwrap();
        let held = repo.hold(&path, true).unwrap();
        std::fs::rename(root.join("a/b"), root.join("a/c")).unwrap();
        std::os::unix::fs::symlink(&outside, root.join("a/b")).unwrap();
        create(&held.path, "new").unwrap();
        replace(&held.path, |file| file.write_all(b"newer")).unwrap();
        assert!(std::fs::read_dir(&outside).unwrap().next().is_none());
        assert_eq!(
            std::fs::read_to_string(root.join("a/c/new")).unwrap(),
            "newer"
        );
        assert_eq!(std::fs::read_dir(root.join("a/c")).unwrap().count(), 1);
        assert!(repo.hold(&path, true).is_err() && repo.write_new(&path, "").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_is_replaced_keeps_its_permissions() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        write_whole(&path, "one").unwrap();
        for (mode, kept) in [
            (0o664, 0o664),
            (0o666, 0o666),
            (0o600, 0o600),
            (0o4755, 0o755),
        ] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            write_whole(&path, "two").unwrap();
            let now = std::fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(now & 0o7777, kept);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_being_written_has_no_name_that_could_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let names = || std::fs::read_dir(folder.path()).unwrap().count();
        for text in ["one", "two"] {
            let before = names();
            let written = write_with(&path, |file| {
                file.write_all(text.as_bytes())?;
                Ok(names())
            });
            let has_unnamed = without_name(&path).is_some();
            assert_eq!(written.unwrap(), before + usize::from(!has_unnamed));
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
            assert_eq!(names(), 1);
        }
        let failed = write_with(&path, |_| Err::<(), _>(std::io::Error::other("no")));
        assert!(failed.is_err() && names() == 1);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two");
    }
}
