const READER = 'an answer, in the browser of its reader';
const URL_OF_TENANT = 'a URL, which has at most 2,048 characters';
const SETTING = 'a setting of whoever runs Parley';

/** Patterns that take more than linear time, by file, with what bounds their text. A shrinking list: new ones are rewritten. */
export const BOUNDED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'packages/client/src/client.ts': { '/\\/+$/': SETTING },
  'packages/dashboard/src/pages/knowledge/name-field.tsx': {
    '/-+$/': 'a name that its user types',
  },
  'packages/drill/src/command.ts': { '/\\/+$/': SETTING },
  'packages/widget/src/text/inline.ts': {
    '/<(?:br\\s*\\/?|(https?:\\/\\/[^\\s<>]+|(?:mailto:)?([^\\s<>@]+@[^\\s<>@]+\\.[^\\s<>@]+)))>/iy':
      READER,
    '/[*_~]+$/': READER,
  },
  'packages/widget/src/text/markdown.ts': {
    '/^ {0,3}#{1,6}[ \\t]+(.*?)(?:[ \\t]+#+)?[ \\t]*$/': READER,
    '/^ {0,3}(`{3,}|~{3,})[^`]*$/': READER,
    '/^([ \\t]*)([-*+•]|\\d{1,9}[.)])([ \\t]+|$)(.*)$/': READER,
  },
  'src/carriers/twilio/signature.ts': {
    '/^(https?:)\\/\\/((?:\\[[^\\]]*\\]|[^/:?#])*)(?::[0-9]*)?(.*)$/s':
      'a request target, which Node bounds; and its end takes all that is left',
  },
  'src/calls/providers/account.ts': { '/\\/+$/': URL_OF_TENANT },
  'src/config.ts': { '/\\/*$/': SETTING, '/\\/+$/': SETTING },
  'src/knowledge/formats/pdf-text.ts': {
    "/[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}'’-]*[-\\u2010]$/u":
      'a line of a page, in a process of its own that has 20 s',
  },
  'src/models/model-endpoint.ts': { '/\\/+$/': URL_OF_TENANT },
  'src/platform/declare/free-name.ts': { '/^-+|-+$/g': 'the first characters of a name' },
  'src/platform/egress/address-guard.ts': {
    '/(\\d+)\\.(\\d+)\\.(\\d+)\\.(\\d+)/': 'an IP address',
  },
  'src/platform/kubernetes/credentials.ts': { '/\\/+$/': SETTING },
  'src/platform/kubernetes/event-recorder.ts': { '/[-.]+$/': 'the first bytes of a name' },
  'src/platform/kubernetes/refusals.ts': {
    '/(?=\\[[^\\]]*=)/': 'the name of a field, from the Kubernetes API',
    '/\\[(?:"([^"]*)"|([^\\]]*))\\]|([^.[\\]]+)/g': 'the name of a field, from the Kubernetes API',
  },
  'src/standalone/scripted-moves.ts': {
    '/,\\s*(.+?)[.!]?$/': 'the first 1,000 characters of a message',
  },
};

/** Files that make patterns at run time, and the source of each pattern. No pattern is made from foreign text. */
export const MADE_AT_RUN_TIME: Readonly<Record<string, string>> = {
  'packages/web-reader/src/html/set-apart.ts': 'signs of currencies',
  'packages/widget/src/text/inline.ts': 'the pattern of a link',
  'packages/widget/src/text/markdown.ts': 'a sign and a number',
  'src/agents/agent-widget.ts': 'the pattern of an origin',
  'src/voice/playout/text-output.ts': 'a number of words',
  'src/config.ts': 'a number of settings',
  'src/conversations/redaction/find-emails.ts': 'classes of letters',
  'src/conversations/redaction/find-ibans.ts': 'the forms of account numbers that ibantools has',
  'src/knowledge/formats/guarded-child.ts': 'the name of a line of /proc',
  'src/knowledge/formats/pdf-text.ts': 'words for pages',
  'src/knowledge/formats/shown-word.ts': 'a name of our own',
  'src/knowledge/passages/phrases.ts': 'english.json',
  'src/knowledge/passages/question-words.ts': 'question marks of all scripts',
  'src/knowledge/passages/split-words.ts': 'classes of letters, and endings of Korean',
  'src/knowledge/sources/knowledge-sources.routes.ts': 'the pattern of a file name',
  'src/models/answers/thinking-filter.ts': 'names of elements',
  'src/platform/egress/address-guard.ts': 'the pattern of a host',
  'src/platform/egress/retry-after.ts': 'the formats of dates',
  'src/platform/http/fields.ts': 'the prefix of an id',
  'src/platform/http/route.ts': 'the pattern of an entity tag',
  'src/platform/resources/schema/field-types.ts': 'names of headers',
  'src/voice/tts/spoken/inline-rules.ts': 'a number of backticks',
};
