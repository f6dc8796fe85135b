//! Builds prompts while one file operation after the other fails.

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use crate::packer::ContextPacker;
    use crate::prompt::Prompt;
    use crate::repo::faults::tests::{Fault, Plan, during};
    use crate::request::Request;
    use crate::role::Role;
    use crate::role::load::Roles;

    const CANARY: &str = "canary-of-another-file";
    const TARGET: &str = "src/store.rs";
    const TEMPLATES: [(&str, &str); 3] = [
        ("planner", "planning.j2"),
        ("implementer", "implement.j2"),
        ("reviewer", "review_strict.j2"),
    ];

    /// A repository with something for every source, and a file beside it.
    struct Place {
        folder: tempfile::TempDir,
        files: Vec<(&'static str, String)>,
    }

    impl Place {
        fn new() -> Place {
            let module = |name: &str| {
                let line =
                    |at| format!("pub fn {name}_{at}(order: u32) -> u32 {{ order + {at} }}\n");
                (0..6).map(line).collect::<String>()
            };
            let files = vec![
                (".gitignore", "target/\n".to_owned()),
                (
                    ".context/GOALS.md",
                    "# Goals\n\n- Keep orders.\n".to_owned(),
                ),
                (
                    "AGENTS.md",
                    "Every function has a test. @docs/rules.md\n".to_owned(),
                ),
                ("docs/rules.md", "Orders are numbers.\n".to_owned()),
                ("README.md", "# Orders\n".to_owned()),
                ("Cargo.toml", "[package]\nname = \"orders\"\n".to_owned()),
                ("src/main.rs", "mod index;\nmod store;\n".to_owned()),
                (
                    TARGET,
                    format!("use crate::index::index_0;\n{}", module("store")),
                ),
                ("src/index.rs", module("index")),
            ];
            let place = Place {
                folder: tempfile::tempdir().unwrap(),
                files,
            };
            fs::write(place.secret(), CANARY).unwrap();
            place.restore();
            let repository = git2::Repository::init(place.root()).unwrap();
            let mut index = repository.index().unwrap();
            index
                .add_all(["*"], git2::IndexAddOption::DEFAULT, None)
                .unwrap();
            index.write().unwrap();
            let tree = repository.find_tree(index.write_tree().unwrap()).unwrap();
            let who = git2::Signature::now("a", "a@b").unwrap();
            repository
                .commit(Some("HEAD"), &who, &who, "Orders", &tree, &[])
                .unwrap();
            place
        }

        fn root(&self) -> PathBuf {
            self.folder.path().join("repo")
        }

        fn secret(&self) -> PathBuf {
            self.folder.path().join("secret")
        }

        /// Restores every file that has changed.
        fn restore(&self) {
            for (path, text) in &self.files {
                let file = self.root().join(path);
                let is_link = fs::symlink_metadata(&file).is_ok_and(|meta| meta.is_symlink());
                if is_link {
                    fs::remove_file(&file).unwrap();
                }
                if is_link || fs::read_to_string(&file).ok().as_ref() != Some(text) {
                    fs::create_dir_all(file.parent().unwrap()).unwrap();
                    fs::write(&file, text).unwrap();
                }
            }
        }

        fn build(
            &self,
            role: &Role,
            template: &str,
            cache: Option<&Path>,
        ) -> Result<Prompt, String> {
            let packer = ContextPacker::open(self.root()).map_err(|e| e.to_string())?;
            let packer = match cache {
                Some(folder) => packer.with_cache(folder),
                None => packer,
            };
            let request = Request::new("Find an order by its number").target(TARGET);
            let prompt = packer.build_full_prompt(template, role, &request);
            prompt.map_err(|e| e.to_string())
        }
    }

    /// Builds a prompt with a fault at every call in turn. Returns how many calls there are.
    fn at_every_call(role: &str, template: &str, fault: Fault) -> usize {
        let place = Place::new();
        let cache = place.folder.path().join("cache");
        let role = Roles::built_in().load(role).unwrap();
        let clean = place.build(&role, template, None).unwrap();
        for at in 1.. {
            let plan = Plan {
                at,
                fault,
                root: place.root(),
                secret: place.secret(),
                seen: 0,
                hit: None,
            };
            // What the runs before have kept depends on how long they took: a file is kept only
            // once it has been as it is for seconds.
            let _ = fs::remove_dir_all(&cache);
            let (built, plan) = during(plan, || place.build(&role, template, Some(&cache)));
            let Some(hit) = plan.hit else {
                assert_eq!(built.unwrap().text, clean.text);
                return at - 1;
            };
            let told = format!("{fault:?} at call {at}, `{hit}`");
            match built {
                Err(error) => assert!(!error.is_empty() && !error.contains(CANARY), "{told}"),
                Ok(prompt) => {
                    assert!(!prompt.text.contains(CANARY), "{told}: {}", prompt.text);
                    let is_whole = prompt.text.contains("pub fn store_5");
                    let notes = prompt.warnings();
                    let names_it =
                        |text: &str| text.contains(TARGET) || text.contains("`target_file`");
                    let is_told = notes.iter().any(|note| names_it(&note.message));
                    // Half of a file may be all that there was when it was read.
                    let is_what_there_is = fault == Fault::Short && prompt.text.contains("store_0");
                    assert!(
                        is_whole || is_told || is_what_there_is,
                        "{told}: {notes:?}\n{}",
                        prompt.text
                    );
                }
            }
            // Whatever was kept of this, the next prompt is as it should be.
            place.restore();
            let next = place.build(&role, template, Some(&cache)).unwrap();
            assert_eq!(next.text, clean.text, "after {told}");
        }
        0
    }

    /// Checks that a prompt or an error comes out whatever fails, and that nothing foreign gets in.
    #[expect(clippy::print_stdout, reason = "the documents tell how many")]
    fn at_every_call_of_every_role(fault: Fault) {
        let calls = TEMPLATES.map(|(role, template)| at_every_call(role, template, fault));
        println!("calls of the door: {calls:?}");
        // As few as that where git need not read files again that changed with its index.
        assert!(calls.iter().all(|calls| *calls >= 50), "{calls:?}");
    }

    #[test]
    fn whatever_call_fails() {
        at_every_call_of_every_role(Fault::Error);
    }

    #[test]
    fn whatever_file_is_gone() {
        at_every_call_of_every_role(Fault::Gone);
    }

    #[test]
    fn whatever_file_is_cut_in_half() {
        at_every_call_of_every_role(Fault::Short);
    }

    #[test]
    fn whatever_file_has_grown() {
        at_every_call_of_every_role(Fault::Grown);
    }

    #[test]
    fn whatever_file_a_link_takes_the_place_of() {
        at_every_call_of_every_role(Fault::Swapped);
    }
}
