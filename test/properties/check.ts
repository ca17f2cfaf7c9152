import fc from 'fast-check';
import { scripts } from './generator';
import { describeCase, type Proof, type ProofStage, prove } from './run';
import type { Script } from './script';
import { shrink } from './shrink';

export interface Trial {
  seed: number;
  /** Scripts. `waves`: the most waves of a script. `width`: the most operations at once. */
  runs: number;
  waves: number;
  width: number;
  /** Called after each script, until one fails. */
  onProof?: (script: Script, proof: Proof) => void;
}

/**
 * Plays random scripts until one fails, and shrinks the failing script.
 * @returns the smallest failing case as text, with its seed. Undefined if no script failed
 */
export async function tryScripts(stage: ProofStage, trial: Trial): Promise<string | undefined> {
  const { seed, runs, waves, width, onProof } = trial;
  let failing: Script | undefined;
  const property = fc.asyncProperty(fc.noBias(scripts(waves, width)), async (script) => {
    const proof = await prove(stage, script);
    onProof?.(script, proof);
    if (proof.wrong.length > 0) failing = script;
    return proof.wrong.length === 0;
  });
  // Each try creates a world. The shrinker of this folder removes halves, so it needs far fewer tries than
  // fast-check's.
  const result = await fc.check(property, { seed, numRuns: runs, endOnFailure: true });
  if (!result.failed) return undefined;
  if (!failing) return String((result.errorInstance as Error | null)?.stack);
  const { proof, tries } = await shrink(failing, (script) => prove(stage, script));
  return `${describeCase(proof)}\nseed ${seed}, script ${result.numRuns}; the smallest of ${tries} tries`;
}
