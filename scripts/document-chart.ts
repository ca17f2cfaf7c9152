import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** Writes what the Helm chart derives: the schema of its values, and its copy of the alerts. `npm run document`. */

export const CHART = join(__dirname, '../deploy/helm/cardwright');

/** A variable in the chart's settings.yaml. */
export interface ChartSetting {
  roles: string[];
  'one of'?: string[];
  pattern?: string;
  /** What the pattern asks for, in words. */
  for?: string;
  required?: boolean;
}

/** The chart's settings.yaml. */
export interface ChartSettings {
  settings: Record<string, ChartSetting>;
  secrets: Record<string, Pick<ChartSetting, 'roles' | 'required'>>;
  fixed: string[];
  'left out': string[];
}

export const chartSettings = (): ChartSettings =>
  parse(readFileSync(join(CHART, 'settings.yaml'), 'utf8')) as ChartSettings;

type Schema = Record<string, unknown>;

/** An object whose properties are these alone. */
const only = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...(required.length > 0 ? { required } : {}),
});

const TEXT: Schema = { type: 'string' };
const NAME: Schema = {
  type: 'string',
  pattern: '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$',
  description: 'a name of Kubernetes',
};
const NAME_OR_NONE: Schema = { anyOf: [NAME, { const: '' }] };
const KEY: Schema = { type: 'string', pattern: '^[-._a-zA-Z0-9]+$' };
const FLAG: Schema = { type: 'boolean' };
const ANY: Schema = { type: 'object' };
const LIST: Schema = { type: 'array', items: ANY };
const TEXTS: Schema = { type: 'object', additionalProperties: TEXT };
const whole = (minimum: number, maximum: number): Schema => ({ type: 'integer', minimum, maximum });
const PORT = whole(1, 65_535);
const PEERS = only({ to: LIST, port: PORT }, ['to', 'port']);
const CALLERS = only({ from: LIST }, ['from']);
const REPLICAS = whole(0, 100);

const ACCOUNT = only({ annotations: TEXTS }, ['annotations']);
const POD = {
  resources: ANY,
  serviceAccount: ACCOUNT,
  nodeSelector: TEXTS,
  tolerations: LIST,
  affinity: ANY,
  podAnnotations: TEXTS,
};
const AUTOSCALING = only({
  enabled: FLAG,
  minReplicas: whole(1, 100),
  maxReplicas: whole(1, 100),
  cpuPercent: whole(1, 100),
});
const STORAGE = only({ size: { type: 'string', pattern: '^[0-9]+[MGT]i$' }, className: NAME_OR_NONE });

/** An enabled ingress needs its host and the Secret of its certificate, because secrets and sessions pass through it. */
function ingress(more: Record<string, Schema>): Schema {
  const schema = only({
    enabled: FLAG,
    className: NAME_OR_NONE,
    host: NAME_OR_NONE,
    tlsSecret: NAME_OR_NONE,
    annotations: TEXTS,
    ...more,
  });
  return {
    ...schema,
    if: { properties: { enabled: { const: true } } },
    then: { properties: { host: NAME, tlsSecret: NAME } },
  };
}

const settingSchema = (setting: ChartSetting): Schema => {
  if (setting['one of']) return { type: 'string', enum: setting['one of'] };
  return {
    type: 'string',
    ...(setting.pattern ? { pattern: setting.pattern } : { minLength: 1 }),
    ...(setting.for ? { description: setting.for } : {}),
  };
};

const requiredOf = (table: Record<string, { required?: boolean }>): string[] =>
  Object.keys(table).filter((name) => table[name]?.required);

function schemaOfValues({ settings, secrets }: ChartSettings): Schema {
  const reference = only({ name: NAME, key: KEY }, ['name', 'key']);
  const schemas = Object.entries(settings).map(([name, setting]) => [name, settingSchema(setting)] as const);
  const references = Object.keys(secrets).map((name) => [name, reference] as const);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the chart cardwright. Written by `npm run document` from settings.yaml.',
    ...only(
      {
        global: ANY,
        image: only({
          repository: { type: 'string', pattern: '^[a-z0-9][a-z0-9./:_-]*$' },
          tag: { type: 'string', pattern: '^[A-Za-z0-9._-]*$' },
          digest: { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' },
          pullPolicy: { enum: ['Always', 'IfNotPresent', 'Never'] },
        }),
        imagePullSecrets: LIST,
        settings: only(Object.fromEntries(schemas), requiredOf(settings)),
        secrets: only(Object.fromEntries(references), requiredOf(secrets)),
        documents: only({ claim: NAME_OR_NONE }),
        bankFiles: only({ claim: NAME_OR_NONE }),
        rates: only({ configMap: NAME_OR_NONE, key: KEY }),
        drainSeconds: whole(0, 300),
        shutdownSeconds: whole(1, 600),
        workersFirstSeconds: whole(0, 3_600),
        migrate: only({
          activeDeadlineSeconds: whole(60, 86_400),
          resources: ANY,
          serviceAccount: ACCOUNT,
        }),
        api: only({
          ...POD,
          replicas: REPLICAS,
          autoscaling: AUTOSCALING,
          ingress: ingress({ routeByClient: { enum: ['none', 'ingress-nginx', 'nginx-inc'] } }),
        }),
        worker: only({ ...POD, replicas: REPLICAS, autoscaling: AUTOSCALING, storage: STORAGE }),
        desk: only({ ...POD, enabled: FLAG, replicas: REPLICAS, ingress: ingress({}) }),
        signer: only({ ...POD, enabled: FLAG, storage: STORAGE }),
        dispatcher: only({ ...POD, enabled: FLAG, replicas: REPLICAS }),
        networkPolicy: only({
          enabled: FLAG,
          postgres: PEERS,
          temporal: PEERS,
          dns: only({ to: LIST }),
          kms: PEERS,
          web3signer: PEERS,
          outside: only({ ports: { type: 'array', items: PORT }, to: LIST }),
          api: CALLERS,
          desk: CALLERS,
          metrics: CALLERS,
        }),
        monitoring: only({
          serviceMonitor: only({
            enabled: FLAG,
            labels: TEXTS,
            interval: { type: 'string', pattern: '^[0-9]+[sm]$' },
          }),
          rules: only({ enabled: FLAG, labels: TEXTS }),
        }),
      },
      ['settings', 'secrets'],
    ),
  };
}

export const renderChartSchema = (): string =>
  `${JSON.stringify(schemaOfValues(chartSettings()), null, 2)}\n`;

if (require.main === module) {
  writeFileSync(join(CHART, 'values.schema.json'), renderChartSchema());
  copyFileSync(join(__dirname, '../observability/prometheus/alerts.yml'), join(CHART, 'files/alerts.yml'));
}
