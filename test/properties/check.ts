import fc from 'fast-check';
import { scripts } from './generator';
import { describeCase, type Proof, type ProofStage, prove } from './run';
import type { Script } from './script';
import { shrink } from './shrink';

export interface Trial {
  seed: number;
  /** How many scripts, of how many waves, with how many operations at once: at most. */
  runs: number;
  waves: number;
  width: number;
  /** Told after each script, until one fails. */
  onProof?: (script: Script, proof: Proof) => void;
}

/**
 * Plays random scripts until one fails, and takes away what that does not need.
 * @returns the smallest failing case as one reads it, with what is needed to see it again; nothing when all held
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
  // Every try costs a world: the shrinker of this folder takes away in halves, which needs far fewer of them.
  const result = await fc.check(property, { seed, numRuns: runs, endOnFailure: true });
  if (!result.failed) return undefined;
  if (!failing) return String((result.errorInstance as Error | null)?.stack);
  const { proof, tries } = await shrink(failing, (script) => prove(stage, script));
  return `${describeCase(proof)}\nseed ${seed}, script ${result.numRuns}; the smallest of ${tries} tries`;
}
