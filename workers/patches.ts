import { version } from '../package.json';

/**
 * The release that brings each `patched()` of a workflow. A patch sleeps in that release and is awake in every later one. All
 * processes that run beside each other therefore know a patch before a history holds it.
 *
 * Without this rest, a way back stops runs. Workers of the earlier release fail each task of a run whose history has an
 * unknown patch.
 */
export const PATCHES: Readonly<Record<string, string>> = {
  // No release was before 1.0.0, so these are awake in it.
  'forget-old-events': '0.9.0',
  'forget-personal-data': '0.9.0',
  'reads-locally-first': '0.9.0',
};

/** @returns whether a run that comes to this patch for the first time takes the new way. An unknown patch sleeps */
export const isAwake = (patch: string, running: string = version): boolean =>
  isLater(running, PATCHES[patch] ?? running);

/** Compares versions without their parts after `-` and `+`: `1.0.0-rc.1` counts as `1.0.0`. */
export function isLater(version: string, than: string): boolean {
  const [left, right] = [numbersOf(version), numbersOf(than)];
  const at = left.findIndex((part, index) => part !== right[index]);
  return at >= 0 && (left[at] ?? 0) > (right[at] ?? 0);
}

const numbersOf = (version: string): number[] =>
  (/^\d+\.\d+\.\d+/.exec(version)?.[0] ?? '').split('.').map(Number);
