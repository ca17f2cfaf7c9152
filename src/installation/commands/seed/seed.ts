import type { Command } from 'commander';
import type { SeedContext } from './context';
import { addExportCommand } from './export';
import { addImportCommand } from './import';
import { addRecoverCommand } from './recover';
import { addVerifyCommand } from './verify';

/** The key ceremony: the wallets' seed leaves the installation and comes back by two people. */
export function addSeedCommands(program: Command, context: SeedContext): void {
  const group = program
    .command('seed')
    .description("the key ceremony of the wallets' seed, by two people (BIP-39, SLIP-39)");
  addExportCommand(group, context);
  addVerifyCommand(group, context);
  addImportCommand(group, context);
  addRecoverCommand(group, context);
}
