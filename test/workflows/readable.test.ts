/** @long */
import type { Client } from '@temporalio/client';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { recordIdIn } from '../../src/kernel/temporal/record-address';
import { RECORDINGS, type Recording } from './recordings';
import { play, type Stage, skippingStage } from './recordings/player';

/** Operators read every process in Temporal's UI: what each activity and timer is for, and the state of its record. */

let stage: Stage;
const texts = new Map<string, string[]>();
beforeAll(async () => {
  stage = await skippingStage();
}, 1_200_000);
afterAll(() => stage.close());

/** Recordings that play on the server that skips time, where no run is suggested to continue as new. */
const PLAYED = RECORDINGS.filter(
  ({ endless, secondRun, encrypted }) => !encrypted && (endless || !secondRun),
);
const WORKFLOWS = [...new Set(PLAYED.map(({ workflow }) => workflow))];

/** Temporal refuses longer summaries when they are encrypted. */
const LONGEST = 158;
const textOf = (data: Uint8Array | null | undefined) =>
  data ? (JSON.parse(Buffer.from(data).toString()) as string) : '';

interface Named {
  name: string;
  summary: string;
}

/** The activities, local activities and timers of a run, with their summaries. */
function namedIn(history: string): Named[] {
  const { events } = historyFromJSON(JSON.parse(history));
  return (events ?? []).flatMap((event) => {
    const name =
      event.activityTaskScheduledEventAttributes?.activityType?.name ??
      (event.timerStartedEventAttributes ? 'timer' : undefined) ??
      (event.markerRecordedEventAttributes?.markerName === 'core_local_activity'
        ? 'local activity'
        : undefined);
    return name === undefined ? [] : [{ name, summary: textOf(event.userMetadata?.summary?.data) }];
  });
}

/** The answer to the query by which Temporal's UI reads the current details. */
async function detailsOf(client: Client, workflowId: string): Promise<string> {
  const metadata = await client.workflow
    .getHandle(workflowId)
    .query<{ currentDetails: string }>('__temporal_workflow_metadata');
  return metadata.currentDetails;
}

const activitiesOf = ({ answers, secondRun }: Recording) =>
  Object.keys({ ...answers, ...secondRun?.answers });

it('plays every kind of workflow', () => {
  expect(WORKFLOWS).toEqual([...new Set(RECORDINGS.map(({ workflow }) => workflow))]);
});

async function isReadable(name: string, recording: Recording): Promise<void> {
  const named = (await play(stage, recording)).flatMap(namedIn);
  // Only the workflow of an ended transfer takes no step.
  expect(named.length > 0).toBe(Object.values(recording.answers).flat().length > 0);
  const isPlain = ({ summary }: Named) => summary.split(' ').length > 2 && summary.length <= LONGEST;
  const isName = ({ summary }: Named) => activitiesOf(recording).some((each) => summary.includes(each));
  expect(named.filter((each) => !isPlain(each) || isName(each))).toEqual([]);
  texts.set(name, [...new Set(named.map(({ summary }) => summary))]);
  if (recording.endless) return;
  const details = await detailsOf(stage.client, name);
  const id = recordIdIn(JSON.stringify(recording.args).replaceAll('"', '-'));
  if (id === undefined) expect(details).toMatch(/ \d{4}-\S+Z/);
  else {
    expect(details).toMatch(/^\*\*\w+\*\* since \d{4}-\S+Z\n\n\S/);
    expect(details).toContain(`Record: \`npm run operator -- show ${id}\``);
  }
}

it.each(PLAYED.map((recording) => [recording.name, recording] as const))(
  'summarises the activities and timers of %s, and shows its details after its end',
  isReadable,
  300_000,
);

it('says in a summary what is waited for, and names the record', () => {
  const said = (name: string) => texts.get(name)?.join('\n');
  expect(said('depositLifecycle.expired')).toContain('ask the checkout about dep_01h455vb4pex5vsknk084sn02q');
  expect(said('depositLifecycle.expired')).toContain('waits for the payer; looks again in ');
  expect(said('kycReview.completed')).toContain("waits for an operator's decision; looks again in 12 h");
});
