import { z } from 'zod';
import { type Decision, decision } from '../../process/desk/decision';
import { updateSettings } from '../../tenants/clients/operations';
import type { TenantSettings } from '../../tenants/clients/settings';
import {
  changedSettings,
  changesOf,
  factsOf,
  raisesThreshold,
  type SettingChange,
  shownSettings,
} from './settings';
import { type Client, clients } from './subject';

interface Input {
  /** `rateLimit.perSecond=50` */
  set: string[];
}

/** Changes settings of a tenant. A change that raises a threshold takes two under dual control. */
export const changeSettings: Decision = decision<Client, Input>({
  name: 'client.settings',
  title: "changes a tenant's settings, and tells what changed; show ID shows all of them",
  permission: 'security',
  subject: clients,
  input: z.strictObject({
    set: z
      .array(
        z
          .string()
          .max(10_000)
          .regex(/^[^=]+=/, 'must be key=value, for instance rateLimit.perSecond=50'),
      )
      .min(1)
      .max(100)
      .meta({ description: 'key=value, for instance rateLimit.perSecond=50; may be repeated.' }),
  }),
  reason: 'optional',
  takesTwo: {
    underDualControl(_, { subject, input }) {
      const { before, after } = judged(subject, input);
      return raisesThreshold(before, after);
    },
  },
  // Only the settings that change: others may change while the decision waits.
  restsOn(subject, input) {
    const { before } = judged(subject, input);
    return factsOf(
      before,
      changesIn(input).map(({ key }) => key),
    );
  },
  async preview(_, { subject, input }) {
    const { before, after } = judged(subject, input);
    return changesOf(before, after);
  },
  async execute(tx, { id, subject, input }) {
    const { before, after } = judged(subject, input);
    await updateSettings(tx, id, after);
    return { before, after, result: { changes: changesOf(before, after), settings: after } };
  },
});

/** @throws Problem 400 naming the setting */
function judged(
  { settings }: Client,
  input: Input,
): {
  before: TenantSettings;
  after: TenantSettings;
} {
  const before = shownSettings(settings);
  return { before, after: changedSettings(before, changesIn(input)) };
}

const changesIn = ({ set }: Input): SettingChange[] =>
  set.map((text) => {
    const at = text.indexOf('=');
    return { key: text.slice(0, at), value: text.slice(at + 1) };
  });
