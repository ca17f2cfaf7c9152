/**
 * Every workflow, by the name that commands and schedules use. This file is what the bundle is made of.
 *
 * A workflow that has once landed is changed behind `patched()`, because runs that began before the change are replayed
 * by the new code: see workers/worker.ts.
 */
export { housekeeping } from './housekeeping';
