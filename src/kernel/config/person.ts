import { z } from 'zod';
import { ConfigError, givenIn, sentences, wrongAlone } from './config';
import { deskUrl, text } from './schemas';

const schema = z.object({
  /** Folder of an embedded sandbox, which names its desk and its operator. */
  DATA_DIR: text.default('.data'),
  /** The desk that the command line calls. Default: the desk that DATA_DIR names. */
  DESK_URL: deskUrl.optional(),
  /** Name, secret and one-time code of the operator. */
  OPERATOR_NAME: text.optional(),
  OPERATOR_SECRET: text.optional(),
  OPERATOR_CODE: text.optional(),
  /** File of the session that `operator login` keeps. */
  OPERATOR_SESSION: text.optional(),
  /** File of the key by which the operator signs allow-lists. */
  OPERATOR_SIGNING_KEY_PATH: text.optional(),
});

/** The settings of a person's command. They include no key, no database and no mode of an installation. */
export interface PersonConfig {
  dataDir: string;
  /** Base URL without a trailing slash. */
  deskUrl: string | undefined;
  operatorName: string | undefined;
  /** Absent: the operator of the embedded sandbox. */
  operatorSecret: string | undefined;
  operatorCode: string | undefined;
  /** Absent: in the home folder. */
  operatorSession: string | undefined;
  /** Absent: in the home folder. */
  signingKey: string | undefined;
}

/** @throws ConfigError naming every variable that is wrong */
export function readPersonConfig(environment: NodeJS.ProcessEnv): PersonConfig {
  const given = givenIn(environment);
  const parsed = schema.safeParse(given);
  if (!parsed.success) throw new ConfigError(sentences(wrongAlone(parsed.error, given)));
  const { data } = parsed;
  return {
    dataDir: data.DATA_DIR,
    deskUrl: data.DESK_URL,
    operatorName: data.OPERATOR_NAME,
    operatorSecret: data.OPERATOR_SECRET,
    operatorCode: data.OPERATOR_CODE,
    operatorSession: data.OPERATOR_SESSION,
    signingKey: data.OPERATOR_SIGNING_KEY_PATH,
  };
}
