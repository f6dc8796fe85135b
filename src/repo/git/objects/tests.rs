use std::collections::BTreeMap;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use git2::{ObjectType, Repository, Signature};
use proptest::prelude::*;

use super::*;

/// Makes a repository whose first commits are packed, so that objects are made of others, and whose
/// last one is not.
fn repository() -> (tempfile::TempDir, Repository) {
    let folder = tempfile::tempdir().unwrap();
    let repository = Repository::init(folder.path()).unwrap();
    let who = Signature::now("Ada .", "a@b").unwrap();
    let mut parent = None;
    let mut text = String::new();
    for number in 0..40 {
        for line in 0..30 {
            text.push_str(&format!("{number} {line} {}\n", line * 7919 % 1000));
        }
        let mut files = repository.treebuilder(None).unwrap();
        for name in ["a", "b"] {
            let text = format!("{name}{text}");
            let blob = repository.blob(text.as_bytes()).unwrap();
            files.insert(name, blob, 0o100_644).unwrap();
        }
        let folder = files.write().unwrap();
        files.insert("folder", folder, 0o040_000).unwrap();
        let tree = repository.find_tree(files.write().unwrap()).unwrap();
        let before = parent.map(|id| repository.find_commit(id).unwrap());
        let parents: Vec<&git2::Commit<'_>> = before.iter().collect();
        let message = format!("Commit {number}\n\nBecause.\n");
        let id = repository.commit(Some("HEAD"), &who, &who, &message, &tree, &parents);
        parent = Some(id.unwrap());
        if number == 30 {
            pack(&repository);
        }
    }
    (folder, repository)
}

/// Puts all objects into a pack, and removes their files.
fn pack(repository: &Repository) {
    let ids = ids(repository);
    let mut builder = repository.packbuilder().unwrap();
    for id in &ids {
        builder.insert_object(*id, None).unwrap();
    }
    let objects = repository.path().join("objects");
    builder.write(&objects.join("pack"), 0o644).unwrap();
    for id in ids {
        let _ = fs::remove_file(loose::path(&objects, id));
    }
    repository.odb().unwrap().refresh().unwrap();
}

fn objects(folder: &Path) -> Objects {
    Objects::of(&folder.join(".git/objects"))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.join(".git/objects")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort_unstable();
    found
}

fn ids(repository: &Repository) -> Vec<Oid> {
    let mut ids = Vec::new();
    let odb = repository.odb().unwrap();
    odb.foreach(|id| {
        ids.push(*id);
        true
    })
    .unwrap();
    ids
}

#[test]
fn every_object_is_what_libgit2_reads() {
    let (folder, repository) = repository();
    let ours = objects(folder.path());
    let odb = repository.odb().unwrap();
    let ids = ids(&repository);
    let mut made = 0;
    for id in &ids {
        let theirs = odb.read(*id).unwrap();
        let (kind, content) = ours.read(*id, MAX_OBJECT).unwrap();
        assert_eq!(content.as_slice(), theirs.data());
        let same = match kind {
            Kind::Commit => ObjectType::Commit,
            Kind::Tree => ObjectType::Tree,
            Kind::Blob => ObjectType::Blob,
            Kind::Tag => ObjectType::Tag,
        };
        assert_eq!(theirs.kind(), same);
        assert_eq!(ours.size(*id), Ok(content.len() as u64));
        let too_large = Err(Fault::TooLarge(content.len() as u64));
        assert_eq!(ours.read(*id, content.len() as u64 - 1), too_large);
        if let Some((_, (number, offset))) = ours.stores[0].packed(*id).map(|at| (0, at)) {
            let packs = ours.stores[0].packs.borrow();
            let entry = packs.nth(number).entry(offset).unwrap();
            made += usize::from(!matches!(entry.is, pack::Is::Whole(_)));
        }
        let object = repository.find_object(*id, None).unwrap();
        let short = object.short_id().unwrap();
        assert_eq!(ours.short(*id), short.as_str().unwrap());
    }
    assert!(made > 20, "{made} of {} are made of others", ids.len());
    assert_eq!(ours.read(Oid::ZERO_SHA1, 1), Err(Fault::Missing));
}

/// Whether a past text is available may not depend on what was read before it.
#[test]
fn what_a_text_costs_is_the_same_whatever_was_read_before() {
    const ENOUGH: u64 = 64 * 1024 * 1024;
    let (folder, repository) = repository();
    let warm = objects(folder.path());
    let ids = ids(&repository);
    let is_blob = |id: &&Oid| repository.find_blob(**id).is_ok();
    let mut made = 0;
    for id in ids.iter().filter(is_blob) {
        let fresh = |work| objects(folder.path()).once(*id, MAX_OBJECT, work).is_ok();
        let (mut least, mut most) = (0, ENOUGH);
        while least < most {
            let work = least + (most - least) / 2;
            if fresh(work) {
                most = work;
            } else {
                least = work + 1;
            }
        }
        warm.read(*id, MAX_OBJECT).unwrap();
        assert!(warm.once(*id, MAX_OBJECT, least).is_ok());
        assert_eq!(warm.once(*id, MAX_OBJECT, least - 1), Err(Fault::TooMuch));
        made += usize::from(least > 10 * repository.find_blob(*id).unwrap().size() as u64);
    }
    assert!(made > 0, "none is made of many others");
}

#[test]
fn commits_and_trees_say_what_libgit2_says() {
    let (folder, repository) = repository();
    let ours = objects(folder.path());
    let mut next = Some(repository.head().unwrap().peel_to_commit().unwrap());
    while let Some(theirs) = next {
        let commit = ours.commit(theirs.id()).unwrap();
        assert_eq!(commit.tree, theirs.tree_id());
        assert_eq!(commit.parents, theirs.parent_ids().collect::<Vec<_>>());
        assert_eq!(commit.message(), theirs.message_raw_bytes());
        assert_eq!(commit.author(), theirs.author().name_bytes());
        let when = theirs.author().when();
        assert_eq!(commit.written(), (when.seconds(), when.offset_minutes()));
        assert_eq!(commit.time, theirs.time().seconds());
        let tree = ours.tree(commit.tree).unwrap();
        for (at, theirs) in theirs.tree().unwrap().iter().enumerate() {
            let entry = tree.get(at).unwrap();
            assert_eq!((entry.name, entry.id), (theirs.name_bytes(), theirs.id()));
            assert_eq!(entry.is_tree(), theirs.kind() == Some(ObjectType::Tree));
        }
        next = theirs.parent(0).ok();
    }
}

#[test]
fn a_moment_and_a_name_are_read_from_any_line() {
    let commit = |text: &str| {
        let head = format!("tree {}\n{text}\n\nm", "a".repeat(40));
        Commit::of(Oid::ZERO_SHA1, &Arc::new(head.into_bytes())).unwrap()
    };
    let told = commit("author  \"Ada\"  <a> b> 12 -0130\ncommitter x <y> 99999999999 +0000");
    assert_eq!((told.author(), told.written()), (&b"Ada"[..], (12, -90)));
    assert_eq!(told.time, 99_999_999_999);
    let odd = commit("author\nauthor \ncommitter <>");
    assert_eq!(
        (odd.author(), odd.written(), odd.time),
        (&b""[..], (0, 0), 0)
    );
}

/// Returns an object of a pack, deflated, after its head.
fn deflated(content: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    std::io::Write::write_all(&mut encoder, content).unwrap();
    encoder.finish().unwrap()
}

/// Writes a pack with these entries, and its index.
fn write_pack(folder: &Path, entries: &BTreeMap<Oid, Vec<u8>>) {
    let mut pack = b"PACK\0\0\0\x02".to_vec();
    pack.extend(u32::try_from(entries.len()).unwrap().to_be_bytes());
    let mut offsets = Vec::new();
    for entry in entries.values() {
        offsets.extend(u32::try_from(pack.len()).unwrap().to_be_bytes());
        pack.extend(entry);
    }
    pack.extend([0; 20]);
    let mut index = b"\xfftOc\0\0\0\x02".to_vec();
    for byte in 0..=255 {
        let count = entries.keys().filter(|id| id.as_bytes()[0] <= byte);
        index.extend(u32::try_from(count.count()).unwrap().to_be_bytes());
    }
    for id in entries.keys() {
        index.extend(id.as_bytes());
    }
    index.extend(vec![0; 4 * entries.len()]);
    index.extend(offsets);
    index.extend([0; 40]);
    let packs = folder.join(".git/objects/pack");
    fs::create_dir_all(&packs).unwrap();
    fs::write(packs.join("pack-1.pack"), pack).unwrap();
    fs::write(packs.join("pack-1.idx"), index).unwrap();
}

#[test]
fn objects_that_are_made_of_one_another_have_an_end() {
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = ["1", "2"].map(|sign| Oid::from_str(&sign.repeat(40)).unwrap());
    let made_of = |base: Oid| {
        let mut entry = vec![7 << 4 | 4];
        entry.extend(base.as_bytes());
        entry.extend(deflated(&[10, 10, 0x90, 10]));
        entry
    };
    let entries = BTreeMap::from([(one, made_of(other)), (other, made_of(one))]);
    write_pack(folder.path(), &entries);
    let objects = objects(folder.path());
    let chain = Fault::Damaged("it is made of too many others");
    assert_eq!(objects.read(one, MAX_OBJECT), Err(chain));
}

#[test]
fn what_grows_beyond_all_bounds_is_not_put_together() {
    let folder = tempfile::tempdir().unwrap();
    let id = |number: u8| Oid::from_bytes(&[number; 20]).unwrap();
    let whole = vec![b'a'; 4 * 1024 * 1024];
    let mut first = vec![0xb0, 0x80, 0x80, 0x10];
    first.extend(deflated(&whole));
    let mut entries = BTreeMap::from([(id(1), first)]);
    // Each is a copy of the one before.
    for number in 2..200 {
        let size = [0x80, 0x80, 0x80, 0x02];
        let change = [&size[..], &size, &[0xc0, 0x40]].concat();
        let mut entry = vec![7 << 4 | u8::try_from(change.len()).unwrap()];
        entry.extend(id(number - 1).as_bytes());
        entry.extend(deflated(&change));
        entries.insert(id(number), entry);
    }
    write_pack(folder.path(), &entries);
    let objects = objects(folder.path());
    assert!(objects.read(id(3), MAX_OBJECT).is_ok());
    assert_eq!(objects.read(id(199), MAX_OBJECT), Err(Fault::TooMuch));
    assert_eq!(objects.read(id(1), MAX_OBJECT), Err(Fault::TooMuch));
    objects.renew();
    assert!(objects.read(id(1), MAX_OBJECT).is_ok());
}

#[test]
fn texts_have_an_account_each_and_one_together() {
    let (folder, repository) = repository();
    let objects = objects(folder.path());
    let text = repository.blob(&[b'x'; 4096]).unwrap();
    objects.left.set(0);
    assert!(objects.text(text, MAX_OBJECT).is_ok());
    let cost = 4096 + STEP;
    assert_eq!(
        (objects.left.get(), objects.texts.get()),
        (0, MAX_TEXTS - cost)
    );
    objects.texts.set(cost);
    assert!(objects.text(text, MAX_OBJECT).is_ok());
    assert_eq!(objects.text(text, MAX_OBJECT), Err(Fault::TooMuch));
    assert_eq!(objects.texts.get(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever happened to the files, each object is there or there is a reason why not.
    #[test]
    fn damaged_files_have_an_end(
        damages in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..4_u8, any::<u8>()), 1..12),
    ) {
        let (folder, repository) = repository();
        let ids = ids(&repository);
        let files = files(folder.path());
        for (file, place, damage, byte) in damages {
            let path = file.get(&files);
            let mut bytes = fs::read(path).unwrap();
            if bytes.is_empty() {
                continue;
            }
            let place = place.index(bytes.len());
            match damage {
                0 => bytes.truncate(place),
                1 => bytes[place] = byte,
                2 => bytes[place] ^= 1 << (byte % 8),
                _ => bytes.splice(place..place, [byte; 4]).for_each(drop),
            }
            // Git lets nobody write into it.
            fs::remove_file(path).unwrap();
            fs::write(path, bytes).unwrap();
        }
        let objects = objects(folder.path());
        for id in ids {
            objects.renew();
            let read = objects.read(id, MAX_OBJECT);
            if let (Ok((_, content)), Ok(size)) = (&read, objects.size(id)) {
                prop_assert_eq!(content.len() as u64, size);
            }
            let _ = (objects.commit(id), objects.tree(id), objects.short(id));
        }
    }
}

#[test]
fn what_does_not_fit_beside_what_it_is_made_of_is_not_put_together() {
    let folder = tempfile::tempdir().unwrap();
    let id = |number: u8| Oid::from_bytes(&[number; 20]).unwrap();
    // 14 MiB, and of it the first byte.
    let whole = vec![b'a'; 14 * 1024 * 1024];
    let mut first = vec![0xb0, 0x80, 0x80, 0x38];
    first.extend(deflated(&whole));
    let change = [0x80, 0x80, 0x80, 0x07, 1, 0x90, 1];
    let mut second = vec![7 << 4 | 7];
    second.extend(id(1).as_bytes());
    second.extend(deflated(&change));
    write_pack(
        folder.path(),
        &BTreeMap::from([(id(1), first), (id(2), second)]),
    );
    let objects = objects(folder.path());
    assert_eq!(objects.size(id(2)), Ok(1));
    assert_eq!(objects.read(id(2), 1024), Err(Fault::OfTooMuch));
    let too_large = Err(Fault::TooLarge(14 * 1024 * 1024));
    assert_eq!(objects.read(id(1), 1024), too_large);
}

#[test]
fn the_empty_tree_is_there_and_old_modes_are_those_of_today() {
    let (folder, repository) = repository();
    let objects = objects(folder.path());
    let empty = objects.tree(Oid::from_str(EMPTY_TREE).unwrap()).unwrap();
    assert_eq!(empty.len(), 0);
    let blob = repository.blob(b"x").unwrap();
    let long = [
        b"100644 ",
        "x".repeat(5000).as_bytes(),
        b"\0",
        blob.as_bytes(),
    ]
    .concat();
    assert!(Tree::of(Arc::new(long)).is_err());
    let modes = ["100664", "100600", "100777", "120777", "40000", "160000"];
    let entry = |mode: &&str| [format!("{mode} {mode}\0").as_bytes(), blob.as_bytes()].concat();
    let content: Vec<u8> = modes.iter().flat_map(entry).collect();
    let tree = Tree::of(Arc::new(content)).unwrap();
    let read = (0..tree.len()).map(|at| tree.get(at).unwrap().mode);
    let expected = [
        0o100_644, 0o100_644, 0o100_755, 0o120_000, 0o040_000, 0o160_000,
    ];
    assert_eq!(read.collect::<Vec<_>>(), expected);
}
