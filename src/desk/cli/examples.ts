/** Shown after the help of the command line. */
export const EXAMPLES = `
Examples:
  npm run operator -- login --name bob --code 123456
  npm run operator -- desk
  npm run operator -- desk list payouts --older-than 2h
  npm run operator -- show pay_01h…
  npm run operator -- payout approve pay_01h… --preview
  npm run operator -- client create --name "Acme" --json
  npm run operator -- client settings cli_01h… --set rateLimit.perSecond=50 --set cardholderReview=manual
  npm run operator -- cardholder approve chd_01h…
  npm run operator -- suspense credit dep_01h… --account acc_01h… --reason "the payer named it"
  npm run operator -- settlement move --party exchange --currency USD --amount 500.00 --as funding --reason "a cushion"
  npm run operator -- capability off payout --reason "the bank is down"
  npm run operator -- chain reconcile --chain local

The desk is the one of DESK_URL, or of a running "npm start" (DATA_DIR, .data by default). You are the operator of "login", of
OPERATOR_NAME and OPERATOR_SECRET, or the sandbox's own. "join TOKEN" accepts an invitation, "logout" ends a session, "completion
bash|zsh" prints the completion of a shell. What needs no running product is "npm run installation".
For a program: npm run --silent operator -- … --json; an error is then { "code", "message", "field" } on the error output.
Exit codes: 0 done, 2 wrong usage or input, 3 not found, 4 not possible as things stand or not permitted, 1 anything else.`;
