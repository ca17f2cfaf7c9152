import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import solc from 'solc';

/**
 * `node scripts/run.mjs scripts/compile-contracts.ts` compiles contracts/*.sol into contracts/contracts.json with the compiler that
 * package.json pins. The result is committed, so that the product runs without the compiler. A test compares it with
 * the source.
 */
const FOLDER = join(__dirname, '../contracts');

interface Compiled {
  errors?: { severity: string; formattedMessage: string }[];
  contracts: Record<string, Record<string, { abi: unknown[]; evm: { bytecode: { object: string } } }>>;
}

/** @returns contracts by name: their ABI and creation bytecode */
export function compileContracts(): Record<string, { abi: unknown[]; bytecode: string }> {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.sol'));
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(
      names.map((name) => [name, { content: readFileSync(join(FOLDER, name), 'utf8') }]),
    ),
    settings: {
      optimizer: { enabled: true, runs: 200 },
      // The bytecode determines a contract's address (CREATE2), so a comment in the source must not change it.
      metadata: { appendCBOR: false },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  };
  const compiled = JSON.parse(solc.compile(JSON.stringify(input))) as Compiled;
  const wrong = compiled.errors?.filter(({ severity }) => severity === 'error') ?? [];
  if (wrong.length > 0) throw new Error(wrong.map(({ formattedMessage }) => formattedMessage).join('\n'));
  const made = Object.values(compiled.contracts).flatMap((contracts) => Object.entries(contracts));
  return Object.fromEntries(
    made
      // An interface has no bytecode.
      .filter(([, { evm }]) => evm.bytecode.object !== '')
      .map(([contract, { abi, evm }]) => [contract, { abi, bytecode: `0x${evm.bytecode.object}` }]),
  );
}

if (require.main === module)
  writeFileSync(join(FOLDER, 'contracts.json'), `${JSON.stringify(compileContracts(), null, 2)}\n`);
