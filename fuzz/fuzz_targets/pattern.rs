//! Patterns of a role. The first line is a path, every other one a pattern.
#![no_main]

use context_packer::fuzz::{Exclusion, Globs, Pattern, RepoPath};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut lines = text.split('\n');
    let Ok(path) = RepoPath::parse(lines.next().unwrap_or_default()) else {
        return;
    };
    assert_eq!(RepoPath::parse(path.as_str()).as_ref(), Ok(&path));
    assert!(!path.as_str().split('/').any(|part| part == ".."));

    for line in lines.take(16) {
        let Ok(pattern) = Pattern::parse(line) else {
            continue;
        };
        match &pattern {
            Pattern::Sentinel(_) => continue,
            Pattern::Path(named) => assert!(!named.as_str().starts_with('/')),
            Pattern::Wild(wild) => {
                let Ok(globs) = Globs::new([wild.clone()]) else {
                    continue;
                };
                let matches = globs.is_match(path.as_str());
                assert_eq!(matches, !globs.matches(path.as_str()).is_empty());
                // A folder on the way to a match must not be passed over.
                let mut folders = path.ancestors().skip(1).map(RepoPath::parse);
                let reaches = |folder: &RepoPath| globs.reaches(folder);
                assert!(!matches || folders.all(|folder| folder.is_ok_and(|f| reaches(&f))));
                if matches && !path.is_root() {
                    let exclusion = Exclusion::new(vec![pattern.clone()]).expect("it compiles");
                    assert!(exclusion.excludes(&path));
                }
            }
        }
    }
});
