//! The objects that a git folder holds: commits, trees, the texts of files.
//!
//! packer reads them itself instead of through libgit2, which maps packs into memory and trusts
//! their content: an object that was cut short, a pack whose parts depend on each other, or an
//! offset past its end makes it loop for ever or read out of bounds. Here each length is checked
//! before it is used, and everything that is inflated and assembled counts against one account, so
//! that whatever a git folder holds, the result is an object or a reason why there is none.

mod delta;
mod index_file;
mod inflate;
mod loose;
mod pack;
mod parsed;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foldhash::fast::RandomState;
use git2::Oid;

use inflate::Inflater;
use pack::Packs;

pub(super) use parsed::{Commit, Entry, Tree, pairs};

/// The most bytes of an object that is read whole, and of a commit, a tag or a tree.
const MAX_OBJECT: u64 = 16 * 1024 * 1024;
const MAX_LISTING: u64 = 8 * 1024 * 1024;

/// The most bytes of an object's base, its delta and the result, all at once.
const MAX_PARTS: u64 = 24 * 1024 * 1024;

/// What looking for an object costs, and each other one that it is made of, in bytes.
const STEP: u64 = 1024;

/// The tree without entries, which exists whether it is written or not.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// The most bytes that one question may inflate and assemble.
const MAX_WORK: u64 = 512 * 1024 * 1024;

/// The most bytes that one text of a file may inflate and assemble, and all of them together as
/// long as a repository is open.
const MAX_TEXT: u64 = 64 * 1024 * 1024;
const MAX_TEXTS: u64 = 2 * 1024 * 1024 * 1024;

/// The most bytes of objects that are kept because others are made of them.
const MAX_KEPT: usize = 8 * 1024 * 1024;

/// From how many stores in a row a store may borrow.
const MAX_BORROWING: usize = 5;

/// The longest chain of tags.
const MAX_TAGS: usize = 16;

/// The kind of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Commit,
    Tree,
    Blob,
    Tag,
}

impl Kind {
    fn of(name: &[u8]) -> Option<Kind> {
        Some(match name {
            b"commit" => Kind::Commit,
            b"tree" => Kind::Tree,
            b"blob" => Kind::Blob,
            b"tag" => Kind::Tag,
            _ => return None,
        })
    }
}

/// The content of an object.
pub(super) type Content = Arc<Vec<u8>>;

/// Why there is no object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Fault {
    #[error("is missing")]
    Missing,
    #[error("is too large: {0} bytes")]
    TooLarge(u64),
    #[error("is damaged: {0}")]
    Damaged(&'static str),
    #[error("is made of others that are too large")]
    OfTooMuch,
    #[error("takes too much to put together, with those before it")]
    TooMuch,
    #[error("may lie in a pack that cannot be opened")]
    Gone,
    /// Something else than an object is at fault.
    #[error("{0}")]
    Otherwise(&'static str),
}

impl From<std::io::Error> for Fault {
    fn from(_: std::io::Error) -> Fault {
        Fault::Damaged("its file cannot be read")
    }
}

/// The objects of a repository, with those of the stores that it borrows from.
pub(super) struct Objects {
    stores: Vec<Store>,
    kept: RefCell<Kept>,
    inflater: RefCell<Inflater>,
    left: Cell<u64>,
    /// Whether what was read before costs as much as if it were read again.
    counts_all: Cell<bool>,
    /// What is left for texts of files.
    texts: Cell<u64>,
    /// The object that was last asked for and not found.
    refused: Cell<Option<Oid>>,
}

/// A folder with objects.
struct Store {
    folder: PathBuf,
    packs: RefCell<Packs>,
}

/// Objects that others may be made of, by their pack and their place in it.
#[derive(Default)]
struct Kept {
    /// With the cost of making each from scratch.
    objects: HashMap<(usize, u32, u64), (Kind, Content, u64), RandomState>,
    bytes: usize,
}

impl Objects {
    /// Returns the objects of a folder `objects`. Nothing is read before somebody asks.
    pub(super) fn of(folder: &Path) -> Objects {
        let mut folders = vec![folder.to_owned()];
        borrow(folder, MAX_BORROWING, &mut folders);
        let store = |folder: PathBuf| Store {
            packs: RefCell::new(Packs::new(folder.join("pack"))),
            folder,
        };
        Objects {
            stores: folders.into_iter().map(store).collect(),
            kept: RefCell::default(),
            inflater: RefCell::default(),
            left: Cell::new(MAX_WORK),
            counts_all: Cell::new(false),
            texts: Cell::new(MAX_TEXTS),
            refused: Cell::new(None),
        }
    }

    /// Begins a question, which has an account of its own.
    pub(super) fn renew(&self) {
        self.renew_for(MAX_WORK);
    }

    /// Begins a question that may inflate and assemble that many bytes.
    pub(super) fn renew_for(&self, work: u64) {
        self.left.set(work);
    }

    /// Returns the text of a single file, perhaps after many others: it has an account of its own,
    /// and all of them share one.
    pub(super) fn text(&self, id: Oid, most: u64) -> Result<Content, Fault> {
        let (before, texts) = (self.left.get(), self.texts.get());
        let room = MAX_TEXT.min(texts);
        self.left.set(room);
        let text = self.blob(id, most);
        self.texts.set(texts - (room - self.left.get()));
        self.left.set(before);
        text
    }

    /// Returns the text of a single file and what reading it may cost, whatever was read before. So
    /// the same text is available or not, in any order.
    pub(super) fn once(&self, id: Oid, most: u64, work: u64) -> Result<Content, Fault> {
        let before = self.left.replace(work);
        self.counts_all.set(true);
        let text = self.blob(id, most);
        self.counts_all.set(false);
        self.left.set(before);
        text
    }

    fn charge(&self, bytes: u64) -> Result<(), Fault> {
        let left = self.left.get().checked_sub(bytes);
        self.left.set(left.unwrap_or_default());
        left.map(|_| ()).ok_or(Fault::TooMuch)
    }

    /// Says which object it is about, and what to do.
    pub(super) fn why(&self, fault: &Fault) -> String {
        match (fault, self.refused.get()) {
            (Fault::Otherwise(_), _) => fault.to_string(),
            (Fault::Missing | Fault::Damaged(_) | Fault::Gone, Some(id)) => {
                format!("the object {id} {fault}; `git fsck` tells more")
            }
            (_, Some(id)) => format!("the object {id} {fault}"),
            (_, None) => format!("an object {fault}"),
        }
    }

    /// Returns how many bytes an object has.
    pub(super) fn size(&self, id: Oid) -> Result<u64, Fault> {
        self.charge(STEP)?;
        for store in &self.stores {
            if let Some((pack, offset)) = store.packed(id) {
                let packs = store.packs.borrow();
                let pack = packs.nth(pack);
                let entry = pack.entry(offset)?;
                return pack.size_of(&entry, &mut self.inflater.borrow_mut());
            }
            let path = loose::path(&store.folder, id);
            match loose::header(&path, &mut self.inflater.borrow_mut()) {
                Err(Fault::Missing) => {}
                found => return found.map(|(_, size)| size),
            }
        }
        Err(self.missing())
    }

    /// Returns an object of at most `most` bytes.
    pub(super) fn read(&self, id: Oid, most: u64) -> Result<(Kind, Content), Fault> {
        match self.find(id, most) {
            // Packs were put together anew meanwhile, or an object was moved into one.
            Err(Fault::Gone | Fault::Missing) if self.look_again() => self.find(id, most),
            found => found,
        }
        .inspect_err(|_| self.refused.set(Some(id)))
    }

    fn find(&self, id: Oid, most: u64) -> Result<(Kind, Content), Fault> {
        let most = most.min(MAX_OBJECT);
        self.charge(STEP)?;
        for (at, store) in self.stores.iter().enumerate() {
            if let Some(place) = store.packed(id) {
                return self.packed((at, place), most);
            }
            let path = loose::path(&store.folder, id);
            let left = self.left.get();
            match loose::read(&path, most.min(left), &mut self.inflater.borrow_mut()) {
                Err(Fault::Missing) => {}
                Err(Fault::TooLarge(bytes)) if bytes <= most => return Err(Fault::TooMuch),
                Err(fault) => return Err(fault),
                Ok((kind, content)) => {
                    self.charge(content.len() as u64)?;
                    return Ok((kind, Arc::new(content)));
                }
            }
        }
        Err(self.missing())
    }

    /// Returns why an object is not found.
    fn missing(&self) -> Fault {
        let mut stores = self.stores.iter();
        if stores.any(|store| store.packs.borrow().has_failed()) {
            return Fault::Gone;
        }
        Fault::Missing
    }

    /// Forgets the packs that are gone. Returns whether there are any.
    fn look_again(&self) -> bool {
        let stores = self.stores.iter();
        let gone = stores.filter(|store| store.packs.borrow_mut().forget_those_gone());
        let any = gone.count() > 0;
        if any {
            *self.kept.borrow_mut() = Kept::default();
        }
        any
    }

    /// Returns the text of a file.
    pub(super) fn blob(&self, id: Oid, most: u64) -> Result<Content, Fault> {
        match self.read(id, most)? {
            (Kind::Blob, content) => Ok(content),
            _ => Err(Fault::Damaged("it is not a file")),
        }
    }

    pub(super) fn tree(&self, id: Oid) -> Result<Tree, Fault> {
        if Oid::from_str(EMPTY_TREE).is_ok_and(|empty| empty == id) {
            return Tree::of(Content::default());
        }
        match self.read(id, MAX_LISTING)? {
            (Kind::Tree, content) => Tree::of(content),
            _ => Err(Fault::Damaged("it is not a tree")),
        }
    }

    pub(super) fn commit(&self, id: Oid) -> Result<Commit, Fault> {
        match self.read(id, MAX_LISTING)? {
            (Kind::Commit, content) => Commit::of(id, &content),
            _ => Err(Fault::Damaged("it is not a commit")),
        }
    }

    /// Returns the commit that an object is, or that a tag is about. A tag may be about another
    /// one, and in a damaged repository about itself.
    pub(super) fn commit_below(&self, mut id: Oid) -> Result<Commit, Fault> {
        for _ in 0..MAX_TAGS {
            match self.read(id, MAX_LISTING)? {
                (Kind::Commit, content) => return Commit::of(id, &content),
                (Kind::Tag, content) => id = parsed::tagged(&content)?,
                _ => return Err(Fault::Damaged("it is not a commit")),
            }
        }
        Err(Fault::Damaged(
            "more than 16 tags lead from one to the next",
        ))
    }

    /// Returns the shortest beginning of an object's name, of at least seven letters, that no other
    /// object has.
    pub(super) fn short(&self, id: Oid) -> String {
        let name = id.to_string();
        let unique = (7..name.len()).find(|end| self.beginning(&name[..*end], 2).len() < 2);
        name[..unique.unwrap_or(name.len())].to_owned()
    }

    /// Returns the objects whose names begin with these letters, at most `most`.
    pub(super) fn beginning(&self, letters: &str, most: usize) -> Vec<Oid> {
        let mut found = Vec::new();
        for store in &self.stores {
            store
                .packs
                .borrow_mut()
                .beginning(letters, most, &mut found);
            loose::beginning(&store.folder, letters, most, &mut found);
        }
        found.sort_unstable();
        found.dedup();
        found.truncate(most);
        found
    }

    /// Returns what is at a place of a pack: a whole object, and the deltas that make another one
    /// of it, one after another.
    fn packed(
        &self,
        (store, (number, offset)): Place,
        most: u64,
    ) -> Result<(Kind, Content), Fault> {
        let packs = self.stores[store].packs.borrow();
        let pack = packs.nth(number);
        let mut changes = Vec::new();
        let mut at = offset;
        let (kind, mut content, mut cost) = loop {
            let known = self
                .kept
                .borrow()
                .objects
                .get(&(store, number, at))
                .cloned();
            if let Some((kind, content, cost)) = known {
                self.charge(if self.counts_all.get() { cost } else { 0 })?;
                break (kind, content, cost);
            }
            let entry = pack.entry(at)?;
            let base = match entry.is {
                pack::Is::Whole(kind) => {
                    if changes.is_empty() && entry.size > most {
                        return Err(Fault::TooLarge(entry.size));
                    }
                    let content = self.inflated(pack, &entry, MAX_PARTS / 2)?;
                    let content = Arc::new(content);
                    self.keep((store, number, at), kind, &content, entry.size);
                    break (kind, content, entry.size);
                }
                pack::Is::From(base) => base,
                pack::Is::FromNamed(id) => {
                    pack.find(id).ok_or(Fault::Damaged("its base is missing"))?
                }
            };
            self.charge(STEP)?;
            changes.push((at, entry));
            if changes.len() > pack::MAX_CHAIN {
                return Err(Fault::Damaged("it is made of too many others"));
            }
            at = base;
        };
        for (at, entry) in changes.into_iter().rev() {
            let parts = MAX_PARTS.saturating_sub(content.len() as u64);
            let change = self.inflated(pack, &entry, parts)?;
            let parts = parts.saturating_sub(change.len() as u64);
            let made = delta::apply(&content, &change, parts);
            let made = made.map_err(|fault| match fault {
                Fault::TooLarge(_) => Fault::OfTooMuch,
                fault => fault,
            })?;
            self.charge(made.len() as u64)?;
            cost += STEP + entry.size + made.len() as u64;
            content = Arc::new(made);
            self.keep((store, number, at), kind, &content, cost);
        }
        let size = content.len() as u64;
        if size <= most {
            return Ok((kind, content));
        }
        Err(Fault::TooLarge(size))
    }

    fn inflated(
        &self,
        pack: &pack::Pack,
        entry: &pack::Entry,
        most: u64,
    ) -> Result<Vec<u8>, Fault> {
        if entry.size > most {
            return Err(Fault::OfTooMuch);
        }
        self.charge(entry.size)?;
        pack.inflate(entry, &mut self.inflater.borrow_mut())
    }

    fn keep(&self, place: (usize, u32, u64), kind: Kind, content: &Content, cost: u64) {
        /// What an entry takes beside its content.
        const ENTRY: usize = 128;
        let mut kept = self.kept.borrow_mut();
        if content.len() > MAX_KEPT / 8 {
            return;
        }
        let bytes = content.len() + ENTRY;
        if kept.bytes + bytes > MAX_KEPT {
            *kept = Kept::default();
        }
        kept.bytes += bytes;
        kept.objects.insert(place, (kind, content.clone(), cost));
    }
}

/// A store, a pack in it, and a place in that.
type Place = (usize, (u32, u64));

impl Store {
    fn packed(&self, id: Oid) -> Option<(u32, u64)> {
        self.packs.borrow_mut().find(id)
    }
}

/// Adds the stores that one borrows from, and those that these borrow from.
fn borrow(objects: &Path, most: usize, found: &mut Vec<PathBuf>) {
    let list = objects.join("info/alternates");
    let Ok(text) = crate::repo::read_regular_text(&list, 64 * 1024) else {
        return;
    };
    let lines = text.text.lines();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let Ok(other) = fs::canonicalize(objects.join(line)) else {
            continue;
        };
        if found.len() < 16 && !found.contains(&other) {
            found.push(other.clone());
            if most > 1 {
                borrow(&other, most - 1, found);
            }
        }
    }
}
