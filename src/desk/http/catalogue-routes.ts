import { z } from 'zod';
import { type Route, route } from '../../http/route';
import { PREFIXES } from '../../kernel/ids';
import { PERMISSIONS } from '../../kernel/permissions';
import { operatorNameOf } from '../../process/approvals/actors';
import type { Desk } from '../../process/desk/desk';
import type { RecordOfDesk } from '../../process/desk/record';
import { assertPermitted } from '../permitted';
import { schemaOf } from '../schema-of';
import type { DeskHttp } from './services';

const permission = z.enum(PERMISSIONS);
const jsonSchema = z.looseObject({}).meta({ description: 'JSON Schema.' });

const catalogueSchema = z
  .object({
    operator: z.object({ name: z.string(), permissions: z.array(permission) }),
    mode: z.enum(['sandbox', 'live']),
    desks: z.array(
      z.object({
        name: z.string(),
        title: z.string(),
        lists: z.array(
          z.object({
            name: z.string(),
            title: z.string(),
            verb: z.string().nullable().meta({ description: 'Its command in the group of the desk.' }),
            permission,
            filters: jsonSchema,
            columns: z.array(z.object({ name: z.string(), title: z.string(), type: z.string() })),
            waits: z.boolean().meta({ description: 'Whether its rows wait for a person.' }),
            decisions: z.array(z.string()),
          }),
        ),
        records: z.array(
          z.object({
            kind: z.string(),
            prefix: z.string(),
            title: z.string(),
            permission,
            reveals: z.boolean().meta({ description: 'Whether masked data can be shown with a reason.' }),
            download: z
              .object({ name: z.string(), title: z.string(), permission, input: jsonSchema })
              .nullable()
              .meta({ description: 'The file of the record, which is given out with a reason.' }),
          }),
        ),
        decisions: z.array(
          z.object({
            name: z.string(),
            title: z.string(),
            permission,
            subject: z.string().meta({ description: 'Noun of its subject.' }),
            kinds: z.array(z.string()).meta({ description: 'Kinds of records that it is about.' }),
            only: z
              .string()
              .nullable()
              .meta({ description: 'The only id of a subject, where there is one.' }),
            needsReason: z.boolean(),
            showsSecret: z.boolean().meta({ description: 'Whether its answer has a secret, once.' }),
            input: jsonSchema,
          }),
        ),
        figures: z.array(
          z.object({
            name: z.string(),
            title: z.string(),
            type: z.enum(['gauge', 'series']),
            unit: z.string(),
            permission,
          }),
        ),
        finds: z
          .array(z.object({ name: z.string(), title: z.string(), permission }))
          .meta({ description: 'Texts by which a search finds its records.' }),
      }),
    ),
  })
  .meta({ id: 'Catalogue' });

export type CatalogueView = z.output<typeof catalogueSchema>;

export const catalogueRoute = ({ catalogue, mode }: DeskHttp): Route =>
  route({
    method: 'GET',
    path: '/desk/v1/catalogue',
    role: 'operator',
    tag: 'Catalogue',
    summary: 'Everything that the operator may look at and decide',
    response: catalogueSchema,
    read: async ({ caller }): Promise<CatalogueView> => {
      assertPermitted(caller);
      const { tenantId, permissions = [] } = caller;
      const operator = { name: operatorNameOf(tenantId) ?? tenantId, permissions: [...permissions] };
      return { operator, mode, desks: catalogue.desks.map(viewOf) } as unknown as CatalogueView;
    },
  });

const viewOf = ({
  name,
  title,
  lists = [],
  records = [],
  decisions = [],
  figures = [],
  finds = [],
}: Desk) => ({
  name,
  title,
  lists: lists.map((list) => ({
    name: list.name,
    title: list.title,
    verb: list.verb ?? null,
    permission: list.permission ?? 'view',
    filters: schemaOf(list.filters),
    columns: Object.entries(list.columns).map(([column, { title: shown, type }]) => ({
      name: column,
      title: shown,
      type,
    })),
    waits: list.waitsSince !== undefined,
    decisions: list.decisions ?? [],
  })),
  records: records.map((record) => ({
    kind: record.kind,
    prefix: PREFIXES[record.kind],
    title: record.title,
    permission: record.permission ?? 'view',
    reveals: record.reveal !== undefined,
    download: downloadOf(record),
  })),
  decisions: decisions.map((decision) => ({
    name: decision.name,
    title: decision.title,
    permission: decision.permission,
    subject: decision.subject.noun,
    kinds: decision.subject.kinds,
    only: decision.subject.only ?? null,
    needsReason: decision.reason !== 'optional',
    showsSecret: decision.secret !== undefined,
    input: schemaOf(decision.input),
  })),
  figures: figures.map((figure) => ({
    name: figure.name,
    title: figure.title,
    type: figure.type,
    unit: figure.unit,
    permission: figure.permission ?? 'view',
  })),
  finds: finds.map((finder) => ({
    name: finder.name,
    title: finder.title,
    permission: finder.permission ?? 'view',
  })),
});

function downloadOf({ download }: RecordOfDesk) {
  if (!download) return null;
  const { name, title, permission: needed, input } = download;
  return { name, title, permission: needed, input: input ? schemaOf(input) : {} };
}
