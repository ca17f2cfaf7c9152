import type { Proof } from './run';
import type { Operation, Script } from './script';

type Prove = (script: Script) => Promise<Proof>;

export interface Shrunk {
  script: Script;
  proof: Proof;
  tries: number;
}

/** Tries of a smaller case before it counts as passing, because a race may not show at once. */
const TRIES_AT_ONCE = 3;
const MAX_TRIES = 400;

/**
 * Finds the smallest script that still fails. First the operations run one by one, if the script still fails. Then the
 * shrinker removes halves, quarters and so on, and simplifies each operation.
 */
export async function shrink(failing: Script, prove: Prove): Promise<Shrunk> {
  const search = { ...(await calmest(failing, prove)), tries: 0 };
  const inTurn = search.script.every((wave) => wave.length === 1);

  async function better(script: Script): Promise<boolean> {
    for (let attempt = 0; attempt < (inTurn ? 1 : TRIES_AT_ONCE) && search.tries < MAX_TRIES; attempt += 1) {
      search.tries += 1;
      const proof = await prove(script);
      if (proof.wrong.length === 0) continue;
      Object.assign(search, { script, proof });
      return true;
    }
    return false;
  }

  await leaveOut(search, better);
  await simplify(search, better);
  return search;
}

async function calmest(failing: Script, prove: Prove): Promise<{ script: Script; proof: Proof }> {
  const oneByOne = failing.flat().map((operation) => [operation]);
  for (const script of [oneByOne, failing, failing, failing]) {
    const proof = await prove(script);
    if (proof.wrong.length > 0) return { script, proof };
  }
  throw new Error('a script failed once, and held in three further tries: it needs more luck than that');
}

/** Removes half of the operations, then quarters, and so on down to single ones. */
async function leaveOut(
  search: { script: Script },
  better: (script: Script) => Promise<boolean>,
): Promise<void> {
  let chunk = Math.ceil(search.script.flat().length / 2);
  for (;;) {
    let left = false;
    for (let start = search.script.flat().length - chunk; start > -chunk; start -= chunk) {
      if (await better(without(search.script, Math.max(start, 0), start + chunk))) left = true;
    }
    if (chunk === 1 && !left) return;
    chunk = Math.max(1, Math.floor(chunk / 2));
  }
}

/** The script without a range of operations, counted through all waves. */
function without(script: Script, from: number, to: number): Script {
  let index = 0;
  const waves = script.map((wave) =>
    wave.filter(() => {
      index += 1;
      return index <= from || index > to;
    }),
  );
  return waves.filter((wave) => wave.length > 0);
}

const PLAIN: Record<string, unknown> = {
  via: 'transaction',
  keyed: 0,
  stranger: false,
  final: false,
  blockedMerchant: false,
  currency: null,
  minor: 100,
  card: 0,
};

async function simplify(
  search: { script: Script },
  better: (script: Script) => Promise<boolean>,
): Promise<void> {
  for (const [field, value] of Object.entries(PLAIN)) {
    const fields = search.script.flat() as unknown as Record<string, unknown>[];
    for (const [index, operation] of fields.entries()) {
      if (!(field in operation) || operation[field] === value || operation[field] === null) continue;
      await better(changed(search.script, index, { ...operation, [field]: value } as unknown as Operation));
    }
  }
}

function changed(script: Script, at: number, operation: Operation): Script {
  let index = -1;
  return script.map((wave) =>
    wave.map((each) => {
      index += 1;
      return index === at ? operation : each;
    }),
  );
}
