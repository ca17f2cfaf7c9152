import type { Trials } from '../trials';
import type { World } from '../world';
import { admins } from './admins';
import { credentials } from './credentials';
import { desk } from './desk';
import { floods } from './floods';
import { parties } from './parties';
import { races } from './races';
import { scopes } from './scopes';
import { urls } from './urls';
import { values } from './values';

export type Section = (world: World, trials: Trials) => Promise<void>;

/** The sections in their order. Failed sign-ins slow this machine's address down, so they come late. */
export const SECTIONS = {
  scopes,
  admins,
  desk,
  parties,
  urls,
  values,
  races,
  floods,
  credentials,
} satisfies Record<string, Section>;

export type SectionName = keyof typeof SECTIONS;
export const SECTION_NAMES = Object.keys(SECTIONS) as SectionName[];

/** The section that schemathesis attacks from the documents. */
export const DOCUMENTS = 'documents';
