import type { Command } from 'commander';

/** The group of that name, made where no other file has made it. */
export const groupOf = (program: Command, name: string, description: string): Command =>
  program.commands.find((command) => command.name() === name) ??
  program.command(name).description(description);
