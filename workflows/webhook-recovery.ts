import { type ActivityOptions, continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/webhooks';
import { PROBES_QUEUE } from '../src/kernel/outbox/queues';
import type { RecoveryState } from '../src/tenants/webhooks/delivery/recovery';
import type { EndpointKey } from '../src/tenants/webhooks/record';
import { listenForLooks } from './support/look-signal';
import { showStatus } from './support/status';

/** Input of a recovery. Its id is `webhook-recovery-<tenant>-<registration>`. */
export type WebhookRecoveryInput = EndpointKey;

const step: ActivityOptions = {
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
};
const { readWebhookRecovery } = proxyActivities<WebhookActivities>(step);
const { probeWebhookEndpoint } = proxyActivities<WebhookActivities>({ ...step, taskQueue: PROBES_QUEUE });

/**
 * Probes a failing endpoint with one waiting event at a time, on the schedule in the endpoint's row. A signal reads the
 * row again, because a resend makes a probe due at once. Ends when the endpoint is active, disabled or deleted.
 */
export async function webhookRecovery(input: WebhookRecoveryInput): Promise<void> {
  const looks = listenForLooks();
  do {
    // Takes the signal that started this run or came near its end. The signal only asks to read the row.
    await looks.next(1);
    let view = await readWebhookRecovery(input);
    while (view.failing) {
      show(view);
      await looks.next(Math.max(1, view.nextProbeAt - Date.now()));
      view = await probeWebhookEndpoint({ ...input, now: Date.now(), random: Math.random() });
      if (workflowInfo().continueAsNewSuggested && !looks.waiting())
        await continueAsNew<typeof webhookRecovery>(input);
    }
  } while (looks.waiting());
  showStatus('recovered', 'The endpoint is not failing any more.');
}

function show({ code, attempts, nextProbeAt }: RecoveryState): void {
  const last = code ? `Last answer: ${code}. ` : '';
  const tries = attempts === undefined ? '' : `The delivery that was tried has had ${attempts} attempts. `;
  showStatus('failing', `${last}${tries}Next probe at ${new Date(nextProbeAt).toISOString()}.`);
}
