import { type ActivityOptions, continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/webhooks';
import { PROBES_QUEUE } from '../src/kernel/outbox/queues';
import type { RecoveryState } from '../src/tenants/webhooks/delivery/recovery';
import type { EndpointKey } from '../src/tenants/webhooks/record';
import { listenForLooks } from './support/look-signal';
import { type Showing, showing } from './support/status';
import { steps } from './support/steps';
import { inWords, summaryOf } from './support/summary';

/** Input of a recovery. Its id is `webhook-recovery-<tenant>-<registration>`. */
export type WebhookRecoveryInput = EndpointKey;

const nameOf = ({ tenantId, registration }: EndpointKey) => `the ${registration} endpoint of ${tenantId}`;

const step: ActivityOptions = {
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
};
const { readWebhookRecovery } = steps<Pick<WebhookActivities, 'readWebhookRecovery'>>(step, {
  readWebhookRecovery: (endpoint) => `read whether ${nameOf(endpoint)} still fails`,
});
const { probeWebhookEndpoint } = steps<Pick<WebhookActivities, 'probeWebhookEndpoint'>>(
  { ...step, taskQueue: PROBES_QUEUE },
  { probeWebhookEndpoint: (endpoint) => `probe ${nameOf(endpoint)} with a waiting event` },
);

/**
 * Probes a failing endpoint with one waiting event at a time, on the schedule in the endpoint's row. A signal reads the
 * row again, because a resend makes a probe due at once. Ends when the endpoint is active, disabled or deleted.
 */
export async function webhookRecovery(input: WebhookRecoveryInput): Promise<void> {
  const looks = listenForLooks();
  const show = showing(input.tenantId);
  do {
    // Takes the signal that started this run or came near its end. The signal only asks to read the row.
    await looks.within(1, 'takes the signals that have come');
    let view = await readWebhookRecovery(input);
    while (view.failing) {
      showFailing(show, input, view);
      const ms = Math.max(1, view.nextProbeAt - Date.now());
      await looks.within(ms, summaryOf(`waits before a probe of ${nameOf(input)}: ${inWords(ms)}`));
      view = await probeWebhookEndpoint({ ...input, now: Date.now(), random: Math.random() });
      if (workflowInfo().continueAsNewSuggested && !looks.waiting())
        await continueAsNew<typeof webhookRecovery>(input);
    }
  } while (looks.waiting());
  show.status('recovered', `It is not failing any more: ${nameOf(input)}.`);
}

function showFailing(
  show: Showing,
  input: EndpointKey,
  { code, attempts, nextProbeAt }: RecoveryState,
): void {
  const last = code ? `Last answer: ${code}. ` : '';
  const tries = attempts === undefined ? '' : `The delivery that was tried has had ${attempts} attempts. `;
  show.status('failing', `Probing ${nameOf(input)}. ${last}${tries}`.trim(), { next: nextProbeAt });
}
