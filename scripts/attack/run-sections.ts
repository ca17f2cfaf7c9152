import { SECTIONS, type SectionName } from './sections/all';
import { createTrials, type TrialOptions, type Tried } from './trials';
import type { World } from './world';

/** Runs sections one after another. A section that breaks off is a failure of its own, and the others go on. */
export async function runSections(
  world: World,
  sections: readonly SectionName[],
  { show, ...options }: TrialOptions & { show(line: string): void },
): Promise<Tried[]> {
  const all: Tried[] = [];
  for (const name of sections) {
    const trials = createTrials(name, options);
    const begun = performance.now();
    try {
      await SECTIONS[name](world, trials);
    } catch (error) {
      trials.holds('the section ends', (error as Error).message, 'the end');
    }
    const seconds = Math.round((performance.now() - begun) / 1000);
    show(`  ${name}: ${trials.tried.cases} cases in ${seconds} s`);
    all.push(trials.tried);
  }
  return all;
}
