//! What the system can do beneath a root folder.

use std::os::fd::OwnedFd;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{AtFlags, FileType, Statx, StatxFlags, fstatfs, statx};

/// File systems on disks of this machine, and in its memory: ext2 to ext4, XFS, Btrfs, F2FS, ZFS,
/// bcachefs, tmpfs, and overlays of these. On them, a folder gets another date whenever a name is
/// added to it or removed. Network file systems and those of other programs may date their folders
/// as they like.
const DATED: [u32; 8] = [
    0xEF53,
    0x5846_5342,
    0x9123_683E,
    0xF2F5_2010,
    0x2FC1_2FC1,
    0xCA45_1A4E,
    0x0102_1994,
    0x794C_7630,
];

/// What was found out about the system so far.
#[derive(Default)]
pub(super) struct Kernel {
    is_old: AtomicBool,
    /// The numbers of the device that the root is on, if its file system is one of [`DATED`].
    dated: OnceLock<Option<(u32, u32)>>,
}

impl Kernel {
    /// Whether it is too old to open a path beneath a folder.
    pub(super) fn is_old(&self) -> bool {
        self.is_old.load(Ordering::Relaxed)
    }

    /// Records that it cannot open a path beneath a folder.
    pub(super) fn set_old(&self) {
        self.is_old.store(true, Ordering::Relaxed);
    }

    /// Whether folders are dated on the device of the root.
    pub(super) fn dates(&self, root: &OwnedFd) -> bool {
        self.dated_device(root).is_some()
    }

    /// Whether something with this status is a folder, and on the same device.
    pub(super) fn dates_this(&self, root: &OwnedFd, stat: &Statx) -> bool {
        let is_folder = FileType::from_raw_mode(stat.stx_mode.into()) == FileType::Directory;
        is_folder && self.dated_device(root) == Some(device(stat))
    }

    fn dated_device(&self, root: &OwnedFd) -> Option<(u32, u32)> {
        *self.dated.get_or_init(|| {
            let kind = u32::try_from(fstatfs(root).ok()?.f_type).ok()?;
            let stat = statx(root, "", AtFlags::EMPTY_PATH, StatxFlags::BASIC_STATS).ok()?;
            DATED.contains(&kind).then(|| device(&stat))
        })
    }
}

fn device(stat: &Statx) -> (u32, u32) {
    (stat.stx_dev_major, stat.stx_dev_minor)
}
