import type { Command } from 'commander';

export const SHELLS = ['bash', 'zsh'] as const;
export type Shell = (typeof SHELLS)[number];

/** The words that may follow a command, or its option: `payout` -> `approve reject list`, `operator permit --permissions` -> … */
type Words = [place: string, words: string[]];

/** A script of completion for a shell, which completes the command `operator` with the words of the program. */
export function completionScript(shell: Shell, program: Command): string {
  const cases = wordsOf(program, '').map(([place, words]) => `    '${place}') echo '${words.join(' ')}' ;;`);
  return [
    `# Completion of "operator" for ${shell}, from the catalogue of the desk.`,
    '_operator_words() {',
    '  case "$1" in',
    ...cases,
    '    *) return 1 ;;',
    '  esac',
    '}',
    COMPLETE[shell],
  ].join('\n');
}

function wordsOf(command: Command, place: string): Words[] {
  const named = (name: string) => (place === '' ? name : `${place} ${name}`);
  const options = command.options.flatMap(({ long }) => long ?? []);
  const choices = command.options.flatMap(({ long, argChoices }): Words[] =>
    long && argChoices ? [[named(long), argChoices.filter(isWord)]] : [],
  );
  const names = command.commands.map((each) => each.name());
  return [
    [place, [...names, ...options].filter(isWord)],
    ...choices,
    ...command.commands.flatMap((each) => wordsOf(each, named(each.name()))),
  ];
}

/** Whether a word means nothing else to a shell. */
const isWord = (word: string): boolean => /^[\w.-]+$/.test(word);

/** Goes along the words of the line to the last command, and offers what may follow. */
const COMPLETE: Record<Shell, string> = {
  bash: `_operator() {
  local at='' word next i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    next=\${at:+$at }$word
    if [[ $word != -* ]] && _operator_words "$next" >/dev/null; then at=$next; fi
  done
  next=\${at:+$at }\${COMP_WORDS[COMP_CWORD-1]}
  if [[ $next != *' '-* ]] || ! _operator_words "$next" >/dev/null; then next=$at; fi
  COMPREPLY=($(compgen -W "$(_operator_words "$next")" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _operator operator`,
  zsh: `_operator() {
  local at='' word next i
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    next=\${at:+$at }$word
    if [[ $word != -* ]] && _operator_words "$next" >/dev/null; then at=$next; fi
  done
  next=\${at:+$at }\${words[CURRENT-1]}
  if [[ $next != *' '-* ]] || ! _operator_words "$next" >/dev/null; then next=$at; fi
  compadd -- \${=$(_operator_words "$next")}
}
compdef _operator operator`,
};
