//! A git folder that was damaged: some commits in a pack, some in files of their own, and each
//! eight bytes of the input change one of its files. Whatever it says now, every command ends.
#![no_main]

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use context_packer::builders::{Workspace, build_review_context};
use context_packer::{ContextPacker, Request, Roles};
use flate2::{Compression, read::ZlibDecoder, write::ZlibEncoder};
use git2::{Commit, Index, IndexAddOption, Repository, Signature, Time};
use libfuzzer_sys::fuzz_target;

const ROLE: &str = "name: fuzzed\ndescription: d\nsystem_prompt: s\ncontext:\n  token_budget: 20000\n  \
    include: [$CHANGED_FILES, '*']\n  git_diff: true\n  recent_commits: true\n  related: true\n  \
    change: worktree\n";

/// The most that one input changes.
const MAX_CHANGES: usize = 64;

/// What all inputs begin with, and its files.
static WHOLE: LazyLock<(tempfile::TempDir, Vec<PathBuf>)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path()).unwrap();
    let mut files = Vec::new();
    list(folder.path(), folder.path(), &mut files);
    files.sort();
    (folder, files)
});

fn make(root: &Path) -> Result<(), git2::Error> {
    let git = Repository::init(root)?;
    for number in 0..6 {
        let lines = |word: &str| format!("{word} {number}\n").repeat(40 - number);
        fs::create_dir_all(root.join("src/deep")).unwrap();
        fs::write(root.join("src/a.rs"), lines("fn a() {}") + &lines("// b")).unwrap();
        fs::write(root.join(format!("src/deep/{number}.rs")), lines("fn c() {}")).unwrap();
        let mut index = git.index()?;
        index.add_all(["*"], IndexAddOption::DEFAULT, None)?;
        index.write()?;
        commit(&git, &mut index, number)?;
        if number == 3 {
            pack(&git, root)?;
        }
    }
    fs::write(root.join("src/new.rs"), "fn new() {}\n").unwrap();
    Ok(())
}

fn commit(git: &Repository, index: &mut Index, number: usize) -> Result<(), git2::Error> {
    let tree = git.find_tree(index.write_tree()?)?;
    let time = Time::new(i64::try_from(number).unwrap_or(0), 0);
    let who = Signature::new("a", "a@example.org", &time)?;
    let head = git.head().ok().and_then(|head| head.peel_to_commit().ok());
    let parents: Vec<&Commit<'_>> = head.iter().collect();
    let id = git.commit(Some("HEAD"), &who, &who, "Change it", &tree, &parents)?;
    if number == 1 {
        git.branch("base", &git.find_commit(id)?, true)?;
    }
    Ok(())
}

/// Puts all objects into a pack.
fn pack(git: &Repository, root: &Path) -> Result<(), git2::Error> {
    let mut pack = git.packbuilder()?;
    let mut walk = git.revwalk()?;
    walk.push_head()?;
    pack.insert_walk(&mut walk)?;
    let objects = root.join(".git/objects");
    pack.write(&objects.join("pack"), 0)?;
    for entry in fs::read_dir(&objects).unwrap().flatten() {
        if entry.file_name().len() == 2 {
            fs::remove_dir_all(entry.path()).unwrap();
        }
    }
    Ok(())
}

fn list(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            list(root, &path, files);
        } else if let Ok(path) = path.strip_prefix(root)
            && !path.starts_with(".git/hooks")
        {
            files.push(path.to_owned());
        }
    }
}

/// Changes a text at a place.
fn change(text: &mut Vec<u8>, how: u8, place: usize, value: [u8; 2]) {
    let place = place % (text.len() + 1);
    match how % 4 {
        0 if place < text.len() => text[place] = value[0],
        1 => text.truncate(place),
        2 => {
            let more = text[place..].iter().take(usize::from(value[0])).copied();
            let more: Vec<u8> = more.collect();
            text.splice(place..place, more);
        }
        _ => drop(text.splice(place..place, value)),
    }
}

/// The same inside an object that is a file of its own.
fn change_inside(text: &mut Vec<u8>, how: u8, place: usize, value: [u8; 2]) {
    let mut object = Vec::new();
    if ZlibDecoder::new(&text[..]).read_to_end(&mut object).is_err() {
        return;
    }
    change(&mut object, how, place, value);
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    if packed.write_all(&object).is_ok()
        && let Ok(packed) = packed.finish()
    {
        *text = packed;
    }
}

fuzz_target!(|bytes: &[u8]| {
    let (whole, files) = &*WHOLE;
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for name in ["objects/info", "objects/pack", "refs/heads", "refs/tags", "info"] {
        fs::create_dir_all(root.join(".git").join(name)).unwrap();
    }
    let mut texts: Vec<Vec<u8>> = files
        .iter()
        .map(|path| fs::read(whole.path().join(path)).unwrap())
        .collect();
    for step in bytes.chunks_exact(8).take(MAX_CHANGES) {
        let [file, how, a, b, c, d, e, f] = *step else {
            continue;
        };
        let place = usize::try_from(u32::from_le_bytes([a, b, c, d])).unwrap_or(0);
        let text = &mut texts[usize::from(file) % files.len()];
        if how < 128 {
            change(text, how, place, [e, f]);
        } else {
            change_inside(text, how, place, [e, f]);
        }
    }
    for (path, text) in files.iter().zip(texts) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    if let Ok(packer) = ContextPacker::open(root) {
        let roles = Roles::built_in().repository(root);
        let role = roles.load_yaml("fuzzed", ROLE).unwrap();
        let mut request = Request::new("Mend a");
        request.targets.push("src/a.rs".into());
        let _ = packer.pack_context(&role, &request);
    }
    if let Ok(workspace) = Workspace::open(root) {
        let _ = build_review_context(&workspace, "base", true);
        let _ = build_review_context(&workspace, "HEAD~2", false);
    }
});
