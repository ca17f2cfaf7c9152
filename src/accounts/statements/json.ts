import type { OpenStatement } from './operations';
import { headView, lineView, totalView } from './view';

/** A statement as the text of one JSON object, in pieces. */
export async function* statementJson(statement: OpenStatement): AsyncGenerator<string> {
  const { currency } = statement;
  yield `${JSON.stringify(headView(statement)).slice(0, -1)},"lines":[`;
  const portions = statement.portions();
  let isFirst = true;
  for (;;) {
    const { done, value } = await portions.next();
    if (done) {
      yield `],"totals":${JSON.stringify(value.map((total) => totalView(total, currency)))}}`;
      return;
    }
    const lines = value.map((line) => JSON.stringify(lineView(line, currency)));
    yield (isFirst ? '' : ',') + lines.join(',');
    isFirst = false;
  }
}
