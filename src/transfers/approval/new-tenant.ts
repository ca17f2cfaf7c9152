import type { Sql } from '../../kernel/db/database';
import { readNewTenantLimits } from '../../process/limits/operations';
import { approvalSettingsSection } from './settings';

/** Settings of a new tenant: how much it may pay out in a day without an operator, and how long a new destination rests. */
export async function newTenantSettings(sql: Sql): Promise<object> {
  const { daily, destinationHours, base } = await readNewTenantLimits(sql);
  const settings = {
    ...(daily === undefined ? {} : { aboveDaily: daily, currency: base }),
    ...(destinationHours === undefined ? {} : { newDestinationHours: destinationHours }),
  };
  return Object.keys(settings).length === 0 ? {} : { [approvalSettingsSection.name]: settings };
}
