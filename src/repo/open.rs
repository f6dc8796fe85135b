//! Opens a file beneath a folder in one step, so that nothing can be swapped between a check and
//! the opening.

use std::fs::File;
use std::io;
use std::path::Path;

pub(super) use platform::{Door, anywhere};

/// What is at a path without links.
#[cfg(target_os = "linux")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlainKind {
    File,
    Folder,
    /// A FIFO, a device, a socket.
    Other,
    Missing,
}

/// A link leads out of the repository. The kernel uses the same error for it.
fn outside() -> io::Error {
    io::Error::new(
        io::ErrorKind::CrossesDevices,
        "it leads outside the repository",
    )
}

#[cfg(unix)]
mod platform {
    use std::os::fd::{AsFd as _, OwnedFd};
    use std::path::PathBuf;

    use rustix::fs::{Dir, Mode, OFlags, openat, readlinkat};
    use rustix::io::Errno;

    #[cfg(target_os = "linux")]
    use super::super::kernel::Kernel;
    #[cfg(target_os = "linux")]
    use super::PlainKind;
    use super::{File, Path, io, outside};

    /// How many links one path may lead through, as in the kernel.
    const MAX_LINKS: usize = 40;

    /// Reading without waiting: a FIFO must not block the opening.
    const READ: OFlags = OFlags::RDONLY
        .union(OFlags::NONBLOCK)
        .union(OFlags::NOCTTY)
        .union(OFlags::CLOEXEC);

    /// Opens a file that may be anywhere, without waiting for a FIFO's writer.
    pub(in super::super) fn anywhere(path: &Path) -> io::Result<File> {
        Ok(rustix::fs::open(path, READ, Mode::empty())?.into())
    }

    /// The open root folder that everything is opened beneath.
    pub(in super::super) struct Door {
        root: OwnedFd,
        path: PathBuf,
        #[cfg(target_os = "linux")]
        kernel: Kernel,
    }

    impl Door {
        pub(in super::super) fn new(path: &Path) -> io::Result<Door> {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let root = rustix::fs::open(path, flags, Mode::empty())?;
            Ok(Door {
                root,
                path: path.to_owned(),
                #[cfg(target_os = "linux")]
                kernel: Kernel::default(),
            })
        }

        /// Opens this folder a second time.
        pub(in super::super) fn again(&self) -> io::Result<Door> {
            Ok(Door {
                root: self.root.try_clone()?,
                path: self.path.clone(),
                #[cfg(target_os = "linux")]
                kernel: Kernel::default(),
            })
        }

        /// Opens what `path` leads to, following links as long as they stay inside.
        pub(in super::super) fn open(&self, path: &str) -> io::Result<File> {
            #[cfg(test)]
            super::super::faults::tests::happen(path)?;
            #[cfg(target_os = "linux")]
            match self.open_beneath(path) {
                // Too old a kernel, or a sandbox that does not know the call.
                Err(Errno::NOSYS | Errno::PERM) => {}
                // An absolute link is refused even where it leads back inside.
                Err(Errno::XDEV) => {}
                opened => return Ok(opened?.into()),
            }
            self.open_step_by_step(path).map(File::from)
        }

        /// Opens a file by a path without any link in it.
        pub(in super::super) fn open_plain(&self, path: &str) -> io::Result<File> {
            #[cfg(test)]
            super::super::faults::tests::happen(path)?;
            Ok(self.plain(path, READ | OFlags::NOFOLLOW)?.into())
        }

        /// Returns the status of a path, which is not a link. Folders above it are not looked at.
        #[cfg(target_os = "linux")]
        pub(in super::super) fn stat(&self, path: &str) -> io::Result<rustix::fs::Statx> {
            use rustix::fs::{AtFlags, StatxFlags, statx};
            #[cfg(test)]
            super::super::faults::tests::happen(path)?;
            let stat = statx(
                &self.root,
                path,
                AtFlags::SYMLINK_NOFOLLOW,
                StatxFlags::BASIC_STATS,
            )?;
            Ok(stat)
        }

        /// Returns the status of a folder, if that tells whether names were added or removed.
        #[cfg(target_os = "linux")]
        pub(in super::super) fn stat_folder(&self, path: &str) -> Option<rustix::fs::Statx> {
            let path = if path.is_empty() { "." } else { path };
            let may_tell = self.kernel.dates(&self.root);
            let stat = may_tell.then(|| self.stat(path).ok())?;
            stat.filter(|stat| self.kernel.dates_this(&self.root, stat))
        }

        /// Returns what is at a path, if there is no link in it and the kernel can tell; nothing is
        /// opened.
        #[cfg(target_os = "linux")]
        pub(in super::super) fn kind(&self, path: &str) -> Option<PlainKind> {
            use rustix::fs::{FileType, fstat};
            let path = if path.is_empty() { "." } else { path };
            let found = match self.beneath(path, OFlags::PATH | OFlags::CLOEXEC, true) {
                Ok(found) => found,
                Err(Errno::NOENT | Errno::NOTDIR) => return Some(PlainKind::Missing),
                Err(_) => return None,
            };
            Some(match FileType::from_raw_mode(fstat(&found).ok()?.st_mode) {
                FileType::RegularFile => PlainKind::File,
                FileType::Directory => PlainKind::Folder,
                _ => PlainKind::Other,
            })
        }

        /// Whether a path leads to a folder, without any link in it.
        pub(in super::super) fn is_plain_folder(&self, path: &str) -> bool {
            let flags = READ | OFlags::DIRECTORY | OFlags::NOFOLLOW;
            self.plain(path, flags).is_ok()
        }

        /// Returns the target of a link as written, given a path without any other link in it.
        pub(in super::super) fn link_target(&self, path: &str) -> io::Result<Vec<u8>> {
            #[cfg(test)]
            super::super::faults::tests::happen(path)?;
            let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
            let folder = self.plain(folder, READ | OFlags::DIRECTORY | OFlags::NOFOLLOW)?;
            Ok(readlinkat(folder, name, Vec::new())?.into_bytes())
        }

        /// Lists a folder: names with whether they are folders, files or links.
        pub(in super::super) fn list(&self, path: &str) -> io::Result<Dir> {
            #[cfg(test)]
            super::super::faults::tests::happen(path)?;
            let flags = READ | OFlags::DIRECTORY | OFlags::NOFOLLOW;
            if path.is_empty() {
                return Ok(Dir::read_from(&self.root)?);
            }
            Ok(Dir::new(self.plain(path, flags)?)?)
        }

        /// Opens a folder by a path without any link in it.
        #[cfg(target_os = "linux")]
        pub(in super::super) fn folder(&self, path: &str) -> io::Result<OwnedFd> {
            let flags = READ | OFlags::DIRECTORY | OFlags::NOFOLLOW;
            match path {
                "" => self.root.try_clone(),
                path => self.plain(path, flags),
            }
        }

        /// Opens a path in which no part is a link.
        fn plain(&self, path: &str, flags: OFlags) -> io::Result<OwnedFd> {
            #[cfg(target_os = "linux")]
            match self.beneath(path, flags, true) {
                Err(Errno::NOSYS | Errno::PERM) => {}
                opened => return Ok(opened?),
            }
            self.plain_step_by_step(path, flags)
        }

        fn plain_step_by_step(&self, path: &str, flags: OFlags) -> io::Result<OwnedFd> {
            let mut here = self.root.try_clone()?;
            for part in path.split('/') {
                // Nothing is waited for: a part may be a FIFO.
                here = openat(&here, part, flags | READ | OFlags::NOFOLLOW, Mode::empty())?;
            }
            Ok(here)
        }

        #[cfg(target_os = "linux")]
        fn open_beneath(&self, path: &str) -> rustix::io::Result<OwnedFd> {
            self.beneath(path, READ, false)
        }

        #[cfg(target_os = "linux")]
        fn beneath(&self, path: &str, flags: OFlags, strict: bool) -> rustix::io::Result<OwnedFd> {
            use rustix::fs::{ResolveFlags, openat2};
            if self.kernel.is_old() {
                return Err(Errno::NOSYS);
            }
            let mut resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
            if strict {
                resolve |= ResolveFlags::NO_SYMLINKS;
            }
            // The kernel asks to try again when something was renamed meanwhile.
            for _ in 0..16 {
                match openat2(&self.root, path, flags, Mode::empty(), resolve) {
                    Err(Errno::AGAIN) => {}
                    Err(Errno::NOSYS) => {
                        self.kernel.set_old();
                        return Err(Errno::NOSYS);
                    }
                    result => return result,
                }
            }
            Err(Errno::AGAIN)
        }

        /// Opens a path without the kernel's help: every part is opened without following links,
        /// and links are resolved here.
        fn open_step_by_step(&self, path: &str) -> io::Result<OwnedFd> {
            let mut above: Vec<OwnedFd> = vec![self.root.try_clone()?];
            let mut todo: Vec<String> = path.split('/').rev().map(str::to_owned).collect();
            let mut links = 0;
            while let Some(part) = todo.pop() {
                match part.as_str() {
                    "" | "." => continue,
                    ".." => {
                        if above.len() == 1 {
                            return Err(outside());
                        }
                        above.pop();
                        continue;
                    }
                    _ => {}
                }
                let Some(here) = above.last() else {
                    return Err(outside());
                };
                let opened = openat(here, part.as_str(), READ | OFlags::NOFOLLOW, Mode::empty());
                match opened {
                    Ok(found) => above.push(found),
                    Err(Errno::LOOP | Errno::MLINK) => {
                        links += 1;
                        if links > MAX_LINKS {
                            return Err(Errno::LOOP.into());
                        }
                        let target = readlinkat(here.as_fd(), part.as_str(), Vec::new())?;
                        let target = target.to_str().map_err(|_| outside())?;
                        let inside = if target.starts_with('/') {
                            above.truncate(1);
                            let inside = Path::new(target).strip_prefix(&self.path);
                            inside.ok().and_then(Path::to_str).ok_or_else(outside)?
                        } else {
                            target
                        };
                        todo.extend(inside.split('/').rev().map(str::to_owned));
                    }
                    Err(error) => return Err(error.into()),
                }
            }
            above.pop().ok_or_else(outside)
        }
    }

    #[cfg(test)]
    mod tests {
        use std::fs;
        use std::os::unix::fs::symlink;

        use super::*;

        #[test]
        fn both_ways_of_opening_agree_on_every_kind_of_link() {
            let outer = tempfile::tempdir().unwrap();
            let base = fs::canonicalize(outer.path()).unwrap();
            let root = base.join("repo");
            fs::create_dir_all(root.join("sub/deep")).unwrap();
            fs::write(base.join("secret"), "secret").unwrap();
            fs::write(root.join("sub/file"), "inside").unwrap();
            let link = |target: &str, name: &str| symlink(target, root.join(name)).unwrap();
            link("sub/file", "plain");
            link("../file", "sub/deep/up");
            link("sub", "folder");
            link("../secret", "out");
            link("sub/../../secret", "out-by-detour");
            link("/etc/passwd", "absolute");
            link(root.join("sub/file").to_str().unwrap(), "absolute-inside");
            link("loop", "loop");
            link("nowhere", "dangling");
            link("/proc/self/root/etc/passwd", "magic");
            let door = Door::new(&root).unwrap();
            for inside in [
                "sub/file",
                "plain",
                "sub/deep/up",
                "folder/file",
                "absolute-inside",
            ] {
                assert!(door.open(inside).is_ok(), "{inside}");
                assert!(door.open_step_by_step(inside).is_ok(), "{inside}");
            }
            for refused in [
                "out",
                "out-by-detour",
                "absolute",
                "loop",
                "dangling",
                "magic",
            ] {
                assert!(door.open(refused).is_err(), "{refused}");
                assert!(door.open_step_by_step(refused).is_err(), "{refused}");
            }
        }

        /// A file and a folder turn into links that lead outside, and back, as fast as possible,
        /// while they are read in every way.
        #[cfg(target_os = "linux")]
        #[test]
        fn what_is_swapped_while_it_is_read_never_leads_outside() {
            use std::io::Read as _;
            use std::sync::atomic::{AtomicBool, Ordering};
            use std::thread;
            use std::time::{Duration, Instant};

            use rustix::fs::{CWD, RenameFlags, renameat_with};

            let outer = tempfile::tempdir().unwrap();
            let base = fs::canonicalize(outer.path()).unwrap();
            let (root, out) = (base.join("repo"), base.join("out"));
            for folder in [&root.join("sub"), &out] {
                fs::create_dir_all(folder).unwrap();
            }
            fs::write(out.join("file"), "secret").unwrap();
            fs::write(out.join("more"), "").unwrap();
            for name in ["file", "sub/file"] {
                fs::write(root.join(name), "inside").unwrap();
            }
            symlink(out.join("file"), root.join("file-link")).unwrap();
            symlink("../out", root.join("sub-link")).unwrap();
            let done = AtomicBool::new(false);
            let (mut inside, mut refused) = (0, 0);
            thread::scope(|scope| {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        for name in ["file", "sub"] {
                            let link = root.join(format!("{name}-link"));
                            let both = RenameFlags::EXCHANGE;
                            renameat_with(CWD, root.join(name), CWD, link, both).unwrap();
                        }
                    }
                });
                let door = Door::new(&root).unwrap();
                let flags = READ | OFlags::NOFOLLOW;
                let started = Instant::now();
                while started.elapsed() < Duration::from_secs(2) {
                    for path in ["file", "sub/file"] {
                        for opened in [
                            door.open(path),
                            door.open_step_by_step(path).map(File::from),
                            door.open_plain(path),
                            door.plain_step_by_step(path, flags).map(File::from),
                        ] {
                            let mut text = String::new();
                            match opened.and_then(|mut file| file.read_to_string(&mut text)) {
                                Ok(_) => assert_eq!(text, "inside"),
                                Err(_) => refused += 1,
                            }
                            inside += usize::from(text == "inside");
                        }
                    }
                    let names = |dir: Dir| {
                        dir.filter_map(|e| e.ok()?.file_name().to_str().ok().map(str::to_owned))
                            .count()
                    };
                    // `.`, `..` and one file, never another folder's.
                    assert!(door.list("sub").map_or(3, names) == 3);
                }
                done.store(true, Ordering::Relaxed);
            });
            // Both were there to be read.
            assert!(inside > 100 && refused > 100, "{inside} and {refused}");
        }

        #[test]
        fn a_link_to_a_folder_is_not_listed() {
            let outer = tempfile::tempdir().unwrap();
            symlink("/etc", outer.path().join("etc")).unwrap();
            let door = Door::new(outer.path()).unwrap();
            assert!(door.list("etc").is_err());
            assert!(door.list("").is_ok());
        }
    }
}

#[cfg(not(unix))]
mod platform {
    use std::fs;
    use std::path::PathBuf;

    use super::{File, Path, io, outside};

    /// Opens a file that may be anywhere.
    pub(in super::super) fn anywhere(path: &Path) -> io::Result<File> {
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        File::open(path)
    }

    /// The root folder that everything is opened beneath.
    ///
    /// Without a system call that opens beneath a folder, the path is resolved, checked and opened
    /// by its resolved name; only somebody who swaps folders at that moment could lead it astray.
    pub(in super::super) struct Door {
        path: PathBuf,
    }

    impl Door {
        pub(in super::super) fn new(path: &Path) -> io::Result<Door> {
            Ok(Door {
                path: path.to_owned(),
            })
        }

        /// Returns the door of the folder for another thread.
        #[expect(
            clippy::unnecessary_wraps,
            reason = "on other systems a file is opened for it"
        )]
        pub(in super::super) fn again(&self) -> io::Result<Door> {
            Ok(Door {
                path: self.path.clone(),
            })
        }

        pub(in super::super) fn open(&self, path: &str) -> io::Result<File> {
            let real = fs::canonicalize(self.path.join(path))?;
            if !real.starts_with(&self.path) {
                return Err(outside());
            }
            if !fs::metadata(&real)?.is_file() {
                return Err(io::Error::other("it is not a regular file"));
            }
            File::open(real)
        }

        pub(in super::super) fn open_plain(&self, path: &str) -> io::Result<File> {
            self.no_links(path)?;
            self.open(path)
        }

        pub(in super::super) fn is_plain_folder(&self, path: &str) -> bool {
            self.no_links(path).is_ok() && self.path.join(path).is_dir()
        }

        pub(in super::super) fn link_target(&self, path: &str) -> io::Result<Vec<u8>> {
            if let Some((folder, _)) = path.rsplit_once('/') {
                self.no_links(folder)?;
            }
            let target = fs::read_link(self.path.join(path))?;
            Ok(target.to_string_lossy().replace('\\', "/").into_bytes())
        }

        fn no_links(&self, path: &str) -> io::Result<()> {
            let mut here = self.path.clone();
            for part in path.split('/') {
                here.push(part);
                if fs::symlink_metadata(&here)?.is_symlink() {
                    return Err(outside());
                }
            }
            Ok(())
        }

        pub(in super::super) fn list(&self, path: &str) -> io::Result<fs::ReadDir> {
            fs::read_dir(self.path.join(path))
        }
    }
}
