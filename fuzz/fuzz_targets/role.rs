//! A role file. What is accepted means the same when it is written and read again.
#![no_main]

use context_packer::{Role, Roles};
use context_packer::diagnostics::Severity;
use libfuzzer_sys::fuzz_target;

/// The role's data as `packer roles show` prints it.
fn shown(role: &Role) -> serde_json::Value {
    let mut data = serde_json::to_value(role).expect("a role can be written");
    let fields = data.as_object_mut().expect("a role is a map");
    fields.shift_remove("base_role");
    fields.shift_remove("extends");
    data
}

fuzz_target!(|text: &str| {
    let roles = Roles::built_in();
    let role = match roles.load_yaml("fuzzed.yaml", text) {
        Ok(role) => role,
        Err(error) => {
            let is_error = |d: &context_packer::diagnostics::Diagnostic| d.severity == Severity::Error;
            assert!(error.diagnostics().iter().any(is_error), "{error}");
            return;
        }
    };
    assert!(!role.system_prompt().trim().is_empty());
    assert!(
        role.warnings()
            .iter()
            .all(|d| d.severity == Severity::Warning)
    );

    let data = shown(&role);
    let from_json = roles.load_json(&data).expect("what is shown is a role");
    assert_eq!(shown(&from_json), data);
    let yaml = serde_yaml::to_string(&data).expect("a role can be written");
    let from_yaml = roles.load_yaml("shown.yaml", yaml.as_str());
    let from_yaml = from_yaml.unwrap_or_else(|e| panic!("{e}\n{yaml}"));
    assert_eq!(shown(&from_yaml), data, "{yaml}");
});
