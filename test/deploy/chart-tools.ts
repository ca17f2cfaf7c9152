import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { pythonWith } from '../../scripts/support/python';
import { goProgram } from '../support/outside/go-program';
import { toolContext } from '../support/servers';

/** Renders and checks the Helm chart. Tests that need a missing program are skipped by name. */

export const ROOT = join(__dirname, '../..');
export const CHART = join(ROOT, 'deploy/helm/cardwright');
/** The oldest release of Kubernetes that the chart takes, and the newest whose schemas are known. */
export const VERSIONS = ['1.29.0', '1.37.0'];

/** A manifest. */
export type Manifest = Record<string, any> & { kind: string; metadata: Record<string, any> };

export interface ChartTools {
  /** The files of values are names in the chart's folder `ci`. */
  render(values: string[], set?: string[]): Manifest[];
  /** Output of a rendering that must fail. */
  refused(values: string[], set?: string[]): string;
  lint(values: string): string;
  /** Output of `kubeconform -strict`, without resources of the Prometheus operator. */
  conform(manifests: Manifest[], version: string): string;
}

const HELM = {
  name: 'helm',
  goPackage: 'helm.sh/helm/v3/cmd/helm@v3.22.0',
  home: 'https://helm.sh/docs/intro/install',
};
const KUBECONFORM = {
  name: 'kubeconform',
  goPackage: 'github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0',
  home: 'https://github.com/yannh/kubeconform',
};

const valuesOf = (files: string[], set: string[]): string[] => [
  ...files.flatMap((file) => ['--values', join(CHART, 'ci', file)]),
  ...set.flatMap((pair) => ['--set', pair]),
];

/** @returns undefined, after a line that says why, where a program can be neither found nor built */
export async function chartTools(folder: string): Promise<ChartTools | undefined> {
  try {
    const [helm, kubeconform] = [
      await goProgram(HELM, toolContext()),
      await goProgram(KUBECONFORM, toolContext()),
    ];
    const schemas = await schemasOf();
    return toolsOf(helm, kubeconform, schemas, folder);
  } catch (error) {
    console.warn((error as Error).message);
    return undefined;
  }
}

/** The folder of the package that has the schemas. */
async function schemasOf(): Promise<string> {
  const requirements = join(__dirname, 'requirements.txt');
  const python = await pythonWith({ name: 'kubernetes-validate', requirements }, toolContext());
  const code = "import importlib.util as u; print(u.find_spec('kubernetes_validate').origin)";
  const origin = execFileSync(python, ['-c', code], { encoding: 'utf8' }).trim();
  return join(dirname(origin), 'kubernetes-json-schema');
}

function toolsOf(helm: string, kubeconform: string, schemas: string, folder: string): ChartTools {
  const template = (values: string[], set: string[]) =>
    spawnSync(
      helm,
      ['template', 'cards', CHART, '--kube-version', VERSIONS.at(-1) ?? '', ...valuesOf(values, set)],
      { encoding: 'utf8', maxBuffer: 2 ** 24 },
    );
  return {
    render(values, set = []) {
      const { status, stdout, stderr } = template(values, set);
      if (status !== 0) throw new Error(stderr);
      return parseAllDocuments(stdout)
        .map((document) => document.toJS() as Manifest | null)
        .filter((manifest) => manifest !== null);
    },
    refused(values, set = []) {
      const { status, stderr } = template(values, set);
      expect(status).not.toBe(0);
      return stderr;
    },
    lint: (values) => execFileSync(helm, ['lint', CHART, ...valuesOf([values], [])], { encoding: 'utf8' }),
    conform(manifests, version) {
      const place = localSchemas(schemas, version, folder);
      const { stdout } = spawnSync(
        kubeconform,
        [
          ...['-strict', '-summary', '-skip', 'ServiceMonitor,PrometheusRule'],
          ...['-schema-location', join(place, '{{ .ResourceKind }}{{ .KindSuffix }}.json'), '-'],
        ],
        { input: manifests.map((manifest) => JSON.stringify(manifest)).join('\n---\n'), encoding: 'utf8' },
      );
      return stdout;
    },
  };
}

/** The schemas of a version, with references that lead to files instead of the network. */
function localSchemas(schemas: string, version: string, folder: string): string {
  const place = join(folder, version);
  if (existsSync(place)) return place;
  mkdirSync(place);
  const from = join(schemas, `v${version}-local-strict`);
  for (const name of readdirSync(from)) {
    const text = readFileSync(join(from, name), 'utf8').replaceAll(
      '"/api/_definitions.json#',
      '"_definitions.json#',
    );
    const { $id: _address, ...schema } = JSON.parse(text) as Record<string, unknown>;
    writeFileSync(join(place, name), JSON.stringify(schema));
  }
  return place;
}
