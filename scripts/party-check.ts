import { runPartyCheck } from './party-check/program';

/** `npm run party:check -- payouts http://…` checks a bridge against a party's protocol; see `--help`. */
runPartyCheck(process.argv.slice(2), process.env, (line) => console.log(line)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error((error as Error).message);
    process.exit(1);
  },
);
