//! What is generated from the command's own description: completions and the manual page.

use clap::CommandFactory as _;

use super::Cli;
use super::report::print;

pub(super) const EXAMPLES: &str = "\
Examples:
  packer completions bash > ~/.local/share/bash-completion/completions/packer
  packer completions zsh > ~/.zfunc/_packer";

pub(super) const MAN_EXAMPLES: &str = "\
Example:
  packer man > ~/.local/share/man/man1/packer.1";

#[derive(Debug, clap::Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    shell: clap_complete::Shell,
}

pub(super) fn completions(args: &CompletionsArgs) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "packer", &mut script);
    print(&String::from_utf8(script)?)
}

/// Prints one page: the command, then each of its subcommands with its own options.
pub(super) fn man() -> anyhow::Result<()> {
    let mut command = Cli::command();
    command.build();
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    subcommands(&command, "PACKER", &mut page)?;
    print(&String::from_utf8(page)?)
}

fn subcommands(command: &clap::Command, above: &str, page: &mut Vec<u8>) -> anyhow::Result<()> {
    let shown = |sub: &&clap::Command| !sub.is_hide_set() && sub.get_name() != "help";
    for sub in command.get_subcommands().filter(shown) {
        let name = format!("{above} {}", sub.get_name().to_uppercase());
        page.extend(format!(".SH \"{name}\"\n").into_bytes());
        // Options of every command stand at the front of the page.
        let own = sub.clone().mut_args(|arg| {
            let everywhere = arg.is_global_set();
            arg.hide(everywhere)
        });
        let man = clap_mangen::Man::new(own);
        man.render_description_section(page)?;
        man.render_synopsis_section(page)?;
        man.render_options_section(page)?;
        subcommands(sub, &name, page)?;
    }
    Ok(())
}
