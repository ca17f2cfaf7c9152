import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { apiRoutes, EVENT_DOCUMENTS } from '../../src/composition';
import { openApiDocument } from '../../src/http/openapi';
import type { TestApi } from './api';

/**
 * Compares every recorded event with the `webhooks` section of the OpenAPI document.
 * @returns the kinds of the recorded events
 * @throws Error with the first event that differs, or that the document lacks
 */
export async function documentedEvents(api: TestApi): Promise<string[]> {
  const document = openApiDocument(apiRoutes(api.services), { events: EVENT_DOCUMENTS }) as any;
  const schemas = new Ajv2020({ strict: false, allErrors: true });
  addFormats(schemas);
  schemas.addFormat('decimal', true);
  schemas.addSchema({ $id: 'openapi', components: document.components });
  const rows = await api.database.query<{ event: string; data: string }>('select event, data from events');
  for (const { event, data } of rows) {
    const schema = document.webhooks[event]?.post.requestBody.content['application/json'].schema;
    if (!schema) throw new Error(`${event} is not in the OpenAPI document`);
    const rooted = JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openapi#/')) as object;
    const valid = schemas.compile(rooted);
    if (!valid({ event, data: JSON.parse(data) as unknown }))
      throw new Error(
        `${event} differs from the OpenAPI document: ${schemas.errorsText(valid.errors)}\n${data}`,
      );
  }
  return [...new Set(rows.map(({ event }) => event))].sort();
}
