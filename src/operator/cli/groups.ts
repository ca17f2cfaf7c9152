import type { Command } from 'commander';

/** The group of that name, created if it does not exist. */
export const groupOf = (program: Command, name: string, description: string): Command =>
  program.commands.find((command) => command.name() === name) ??
  program.command(name).description(description);
