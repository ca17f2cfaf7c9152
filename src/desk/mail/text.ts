/** A list in which rows wait. */
export interface MailedList {
  list: string;
  title: string;
  count: number;
  oldestSeconds: number;
}

/** The mail about what waits: names of lists, numbers and ages. It has no id and no personal data. */
export function waitingMail(lists: readonly MailedList[]): { subject: string; text: string; html: string } {
  const total = lists.reduce((sum, { count }) => sum + count, 0);
  const lines = lists.map(
    ({ list, title, count, oldestSeconds }) =>
      `${list}: ${count}, the longest for ${ageOf(oldestSeconds)} (${title})`,
  );
  const head = total === 1 ? 'One row waits for you at the desk.' : `${total} rows wait for you at the desk.`;
  const foot = 'Switch these mails off: operator mail NAME --off';
  return {
    subject: `Cardwright: ${head}`,
    text: [head, '', ...lines, '', foot, ''].join('\n'),
    html: `<p>${head}</p><ul>${lines.map((each) => `<li>${escaped(each)}</li>`).join('')}</ul><p>${foot}</p>`,
  };
}

function ageOf(seconds: number): string {
  if (seconds >= 172_800) return `${Math.floor(seconds / 86_400)} days`;
  return seconds >= 3_600 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 60)} min`;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
