import { CARD_RECORDINGS } from './cards';
import { CHAIN_RECORDINGS } from './chain';
import { PEOPLE_RECORDINGS } from './people';
import type { Path, Recorded, WorkflowName } from './recording';
import { TRANSFER_RECORDINGS } from './transfers';
import { UPKEEP_RECORDINGS } from './upkeep';

/** Every workflow and its paths. Every later version replays their histories (test/histories). */
const WORKFLOWS: Record<WorkflowName, Recorded> = {
  ...CARD_RECORDINGS,
  ...PEOPLE_RECORDINGS,
  ...TRANSFER_RECORDINGS,
  ...CHAIN_RECORDINGS,
  ...UPKEEP_RECORDINGS,
};

export interface Recording extends Path {
  /** `<workflow>.<path>`, which is also the id of the workflow. */
  name: string;
  workflow: string;
  args: unknown[];
}

export const RECORDINGS: readonly Recording[] = Object.entries(WORKFLOWS).flatMap(
  ([workflow, { args, paths }]) =>
    Object.entries(paths).map(([path, recorded]) => ({
      args,
      ...recorded,
      workflow,
      name: `${workflow}.${path}`,
    })),
);

/** The names of the histories that a recording writes, the first run first. */
export function historiesOf({ name, secondRun }: Recording): string[] {
  const second = `${name}.second-run`;
  if (!secondRun) return [name];
  return secondRun.after === 'many-looks' ? [second] : [name, second];
}
