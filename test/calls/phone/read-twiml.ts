import { Parser } from 'htmlparser2';

export type Verb = {
  name: string;
  attributes: Record<string, string>;
  text: string;
  inside: Verb[];
};

/** Returns the verbs of an answer, read by an XML parser. */
export function readTwiml(xml: string): Verb[] {
  const root: Verb = { name: '', attributes: {}, text: '', inside: [] };
  const open = [root];
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        const verb: Verb = { name, attributes: { ...attributes }, text: '', inside: [] };
        open.at(-1)!.inside.push(verb);
        open.push(verb);
      },
      ontext: (text) => {
        open.at(-1)!.text += text;
      },
      onclosetag: () => void open.pop(),
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
  const [response] = root.inside;
  if (response?.name !== 'Response') throw new Error(`no TwiML: ${xml}`);
  return response.inside;
}
