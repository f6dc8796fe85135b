//! Which files a C# `using` leads to: those that declare what the file names of a namespace.

use std::rc::Rc;

use super::declared::Names;
use super::{Answer, Importer};

/// The first parts of the platform's namespaces.
const PLATFORM: [&str; 3] = ["System", "Microsoft", "Windows"];

/// Once a namespace leads to this many files, no further names of it are looked for: each may be
/// declared in all files.
const MAX_LED_TO_FIRST: usize = 5000;

impl Importer<'_> {
    /// Resolves `using A.B;` and the names that the file mentions.
    pub(super) fn csharp_space(&self, names: &[String]) -> Answer {
        let known = self.resolver.declared.of(self.files(), "csharp");
        let Some(space) = self.csharp_full(names, |space| known.has(space)) else {
            return self.csharp_absent(names, &known);
        };
        let own = self.own_spaces();
        let is_own = |name: &str| own.iter().any(|own| !known.files(own, name).is_empty());
        let lead = |methods: bool| {
            let mut found: Vec<Rc<str>> = Vec::new();
            let wanted = self
                .named
                .lines()
                .filter(|name| name.starts_with('.') == methods);
            for name in wanted {
                let files = known.files(&space, name);
                if !self.files().look_through(files.len()) || found.len() >= MAX_LED_TO_FIRST {
                    break;
                }
                if !files.is_empty() && !is_own(name) {
                    found.extend(files.iter().cloned());
                }
            }
            found
        };
        let mut found = lead(false);
        // What no type is named of is there for its extension methods.
        if found.is_empty() {
            found = lead(true);
        }
        Answer::Found(
            found
                .iter()
                .filter_map(|path| self.files().file(path))
                .collect(),
        )
    }

    /// Resolves `using static A.B.C;` and `using X = A.B.C;`, where the last name may be inside a
    /// type.
    pub(super) fn csharp_type(&self, names: &[String]) -> Answer {
        let known = self.resolver.declared.of(self.files(), "csharp");
        for length in (2..=names.len()).rev() {
            let (space, name) = (&names[..length - 1], &names[length - 1]);
            let found = self.csharp_full(space, |space| !known.files(space, name).is_empty());
            if let Some(space) = found {
                let files = known.files(&space, name).iter();
                return Answer::of(files.filter_map(|path| self.files().file(path)));
            }
        }
        // Another name for a namespace.
        if self.csharp_full(names, |space| known.has(space)).is_some() {
            return Answer::Found(Vec::new());
        }
        self.csharp_absent(names, &known)
    }

    /// Finds a namespace as it is, or below one of those that the file is in.
    fn csharp_full(&self, names: &[String], fits: impl Fn(&str) -> bool) -> Option<String> {
        let space = names.join(".");
        if self.files().look_at(&space) && fits(&space) {
            return Some(space);
        }
        let own = self.own_spaces().into_iter();
        let mut below = own.map(|own| format!("{own}.{space}"));
        below.find(|space| self.files().look_at(space) && fits(space))
    }

    /// Decides about a namespace that declares nothing. It is missing if one around it is in this
    /// repository. The platform's namespaces are not, even if the repository adds something to
    /// them.
    fn csharp_absent(&self, names: &[String], known: &Names) -> Answer {
        self.files().look_through(names.len());
        let mut above = (1..names.len()).map(|length| names[..length].join("."));
        let is_platform = names
            .first()
            .is_none_or(|name| PLATFORM.contains(&name.as_str()));
        Answer::none(!is_platform && above.any(|space| known.has(&space)))
    }

    /// Returns the namespace of the file and those around it.
    fn own_spaces(&self) -> Vec<&str> {
        let mut next = self.package.as_deref();
        let spaces = std::iter::from_fn(|| {
            let here = next?;
            next = here.rsplit_once('.').map(|(above, _)| above);
            Some(here)
        });
        spaces.collect()
    }
}
