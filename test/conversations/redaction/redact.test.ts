import { describe, expect, test } from 'vitest';
import { redact, redactHistory, sumOf } from '../../../src/conversations/redaction/redact.ts';
import { REDACTION_KINDS } from '../../../src/agents/agent.ts';

const ALL = { redaction: [...REDACTION_KINDS] };

async function seen(text: string, language?: string): Promise<string> {
  return (await redact(text, { ...ALL, ...(language && { language }) })).text;
}

/** All numbers, names and addresses are invented, or set aside for examples. */
describe('cards', () => {
  test.each([
    ['4111111111111111', '[card]'],
    ['2.4111 1111 1111 1111', '2.[card]'],
    ['my card is 4111 1111 1111 1111, thanks', 'my card is [card], thanks'],
    ['4111-1111-1111-1111', '[card]'],
    ['4111.1111.1111.1111', '[card]'],
    ['41111 11111 111111', '[card]'],
    ['4111\n1111\n1111\n1111', '[card]'],
    ['4111 1111\r\n1111 1111', '[card]'],
    ['4111\u20281111\u20281111\u20281111', '[card]'],
    ['4111/1111/1111/1111', '[card]'],
    ['4111 / 1111 / 1111 / 1111', '[card]'],
    ['4111_1111_1111_1111', '[card]'],
    ['4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1', '[card]'],
    ['4111 1111 1111 1111 12/27 and 123', '[card] 12/27 and 123'],
    ['4111\u00A01111\u202F1111\u20091111', '[card]'],
    ['4111\u200B1111\u200D1111\uFEFF1111', '[card]'],
    ['4111 – 1111 — 1111 ‑ 1111', '[card]'],
    ['4111–1111—1111‑1111', '[card]'],
    ['４１１１ １１１１ １１１１ １１１１', '[card]'],
    ['٤١١١ ١١١١ ١١١١ ١١١١', '[card]'],
    ['𝟒𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏', '[card]'],
    ['Amex 3782 822463 10005', 'Amex [card]'],
    ['5555 5555 5555 4444 or 4222222222222', '[card] or [card]'],
    ['Visa4111111111111111', 'Visa[card]'],
    ['2223 0031 2200 3222', '[card]'],
    ['6304 0000 0000 0000', '[card]'],
    ['4000000000000000006', '[card]'],
    ['4000 0000 0000 0000 006', '[card]'],
    ['6200 0000 0000 0000 000', '[card]'],
  ])('%s', async (said, shown) => expect(await seen(said)).toBe(shown));

  test.each([
    ['the last digit is wrong', '4111 1111 1111 1112'],
    ['no issuer has it', '1234 5678 9012 3452'],
    ['an order of 16 digits', 'order 9000123412341238'],
    ['12 digits', '411111111111'],
    ['20 digits', '41111111111111111111'],
    ['a fraction', '3.4111111111111111'],
    ['with a word between', '4111 1111 and\n1111 1111'],
    ['with four signs between', '4111 1111 / - 1111 1111'],
    ['dates in a row', '4111/11/11, 11/11/1111'],
    ['a time in ms and ns', 'at 1764000000000 or 1764000000000000000'],
  ])('not: %s', async (_, said) => expect(await seen(said)).toBe(said));
});

describe('account numbers', () => {
  test.each([
    ['DE89370400440532013000', '[iban]'],
    ['pay to DE89 3704 0044 0532 0130 00 and tell me', 'pay to [iban] and tell me'],
    ['gb82-west-1234-5698-7654-32.', '[iban].'],
    ['IBAN: NL91 ABNA 0417 1643 00', 'IBAN: [iban]'],
    ['IBANFR1420041010050500013M02606', 'IBAN[iban]'],
    ['NO 93 8601 1117 947', '[iban]'],
    ['MT84MALT011000012345MTLCAST001S', '[iban]'],
    ['ＤＥ８９ ３７０４ ００４４ ０５３２ ０１３０ ００', '[iban]'],
    ['DE89\u200B3704\u00A00044.0532.0130.00', '[iban]'],
  ])('%s', async (said, shown) => expect(await seen(said)).toBe(shown));

  test.each([
    ['the check digits are wrong', 'DE88370400440532013000'],
    ['too short', 'DE8937040044053201300'],
    ['too long', 'DE893704004405320130001'],
    ['no country', 'XX89370400440532013000'],
    ['words', 'is 20 minutes from the station, no 93 of the old street at 10'],
    ['an identifier', 'conv_01jde89370400440532013000'],
  ])('not: %s', async (_, said) => expect(await seen(said, 'en-GB')).toBe(said));
});

describe('e-mail addresses', () => {
  test.each([
    ['ann@example.com', '[email]'],
    ['write to Ann.Lee+shop@mail.example.co.uk.', 'write to [email].'],
    [
      '<ann@example.com>, (bob@example.org); mailto:eve@example.net',
      '<[email]>, ([email]); mailto:[email]',
    ],
    ["'ann@example.com'", "'[email]'"],
    ["o'neill@example.com", '[email]'],
    ['jürgen@müller.example', '[email]'],
    ['анна@пример.рф', '[email]'],
    ['用户@例子.公司', '[email]'],
    ['我的邮箱是ann@example.com谢谢', '我的邮箱是[email]谢谢'],
    ['ann@xn--mller-kva.example', '[email]'],
    ['ann＠example．com', '[email]'],
    ['ann@exam\u200Bple.com', '[email]'],
    ['"ann lee"@example.com', '[email]'],
    ['ann@[192.0.2.1]', '[email]'],
    ['😀@example.com', '[email]'],
    ['ann@example.com-and so on', '[email]-and so on'],
    ['?email=ann@example.com&page=2', '?email=[email]&page=2'],
    ['ann+12025550123@example.com', '[email]'],
  ])('%s', async (said, shown) => expect(await seen(said)).toBe(shown));

  test.each([
    ['a handle', '@ann said so'],
    ['no domain', 'ann@localhost'],
    ['a version', 'install tool@1.2.3 and lib@latest'],
    ['a price', '3 @ 4.50 each'],
    ['signs alone', '@@@ @.@ a@.b'],
  ])('not: %s', async (_, said) => expect(await seen(said)).toBe(said));
});

describe('telephone numbers', () => {
  test.each([
    ['call +44 20 7946 0958 now', 'call [phone] now'],
    ['+442079460958', '[phone]'],
    ['+44 (0)20 7946 0958', '[phone]'],
    ['(+49) 30 901820', '[phone]'],
    ['0044 20 7946 0958', '[phone]'],
    ['+1-202-555-0123.', '[phone].'],
    ['+1.202.555.0123', '[phone]'],
    ['＋４９ ３０ ９０１８２０', '[phone]'],
    ['+49\u00A030\u200B901820', '[phone]'],
    ['tel:+4930901820', 'tel:[phone]'],
    ['+44 20 7946 0958 12 boxes', '[phone] 12 boxes'],
    ['+44 20 7946 0958, +44 20 7946 0959', '[phone], [phone]'],
  ])('of any region: %s', async (said, shown) => expect(await seen(said)).toBe(shown));

  test.each([
    ['en-GB', 'ring 020 7946 0958', 'ring [phone]'],
    ['en-GB', '02079460958', '[phone]'],
    ['en-GB', 'two of 12 to 020 7946 0958', 'two of 12 to [phone]'],
    ['de-DE', '030/901820', '[phone]'],
    ['de-DE', '(030) 90 18 20', '[phone]'],
    ['fr-FR', 'au 01.99.00.12.34', 'au [phone]'],
    ['es-ES', '612 34 56 78', '[phone]'],
    ['en-US', '(202) 555-0123', '[phone]'],
    ['en-US', '1-202-555-0123', '[phone]'],
    ['en-US', '202.555.0123', '[phone]'],
    ['en-US', 'my phone number is 2025550123', 'my phone number is [phone]'],
    ['en-US', 'text me at 2025550123!', 'text me at [phone]!'],
    ['zh-Hans-CN', '电话 010 1234 5678', '电话 [phone]'],
  ])('of a region, %s: %s', async (language, said, shown) =>
    expect(await seen(said, language)).toBe(shown),
  );

  const OTHERS: [string, string][] = [
    ['an order', 'order 2025550123, please'],
    ['an order with a sign', '#2025550123 and no. 4021234567'],
    ['an order in parts', '112-1234567-1234567'],
    ['an order with letters', 'AB-2025550123 or 2025550123X'],
    ['dates', '2027-03-31, 31.03.2027, 03/31/2027 and 01.02.27 03.02.27'],
    ['days after each other', '2027-03-31 2027-04-02'],
    ['times', 'at 10:30:15 or 2027-03-31T10:30:00Z'],
    ['a day without signs', '20270331 103000'],
    ['amounts', '$ 202 555 0123, 612 345 678 €, 1.234.567.890, 1,234,567,890 and 12,0201234567'],
    ['fractions', '0.2079460958 and 52.520008, 13.404954'],
    ['addresses', '192.0.2.17 and 10.0.0.1:8080'],
    ['a UUID', '550e8400-e29b-41d4-a716-446655440000'],
    ['short ones', '999, 12 34 56, 0800'],
    ['a sum', '12+4930901820'],
    ['percents', '20 7946 0958%'],
    ['what no country has', '+999 1234 5678'],
  ];
  describe.each(['en', 'en-GB', 'en-US', 'de-DE', 'es-ES'])('not, in %s', (language) => {
    test.each(OTHERS)('%s', async (_, said) => expect(await seen(said, language)).toBe(said));
  });

  test('without a region, or with one that is none, only international ones', async () => {
    for (const language of ['en', 'en-ZZ', 'en-Latn']) {
      expect(await seen('020 7946 0958', language)).toBe('020 7946 0958');
    }
  });
});

test('a character that nobody sees hides nothing', async () => {
  for (const hidden of ['\u200B', '\u200D', '\u2060', '\u00AD', '\uFE0F', '\u{E0001}']) {
    const said = '4111111111111111 ann@example.com +442079460958 DE89370400440532013000';
    const cut = said.replaceAll(/[^ ]{3}/g, `$&${hidden}`);
    expect(await seen(cut)).toBe('[card] [email] [phone] [iban]');
  }
});

describe('what is asked for, and how it is counted', () => {
  const said =
    'ann@example.com 4111 1111 1111 1111 +44 20 7946 0958 DE89370400440532013000 bob@example.org';

  test('each kind has its placeholder and its number', async () => {
    expect(await redact(said, ALL)).toEqual({
      text: '[email] [card] [phone] [iban] [email]',
      redacted: { card: 1, email: 2, phone: 1, iban: 1 },
    });
  });

  test.each(REDACTION_KINDS)(
    '%s alone: the others stay, and are not taken for it',
    async (kind) => {
      const { text, redacted } = await redact(said, { redaction: [kind] });
      expect(Object.keys(redacted ?? {})).toEqual([kind]);
      expect(text.split('[').length - 1).toBe(kind === 'email' ? 2 : 1);
    },
  );

  test.each([undefined, []])('nothing asked for (%j): nothing is looked for', async (redaction) => {
    expect(await redact(said, { ...(redaction && { redaction }) })).toEqual({
      text: said,
      redacted: null,
    });
  });

  test('a placeholder is left as it is, whoever wrote it', async () => {
    const text = '[card] [email] [phone] [iban]';
    expect(await redact(text, ALL)).toEqual({ text, redacted: null });
  });

  test('what stands around it is as it was written', async () => {
    const around = '“Grüße”\u200B ４２ – 😀\u00A0';
    expect(await seen(`${around}4111111111111111 ${around}ann@example.com ${around}`)).toBe(
      `${around}[card] ${around}[email] ${around}`,
    );
  });

  test('counts of two looks at one text are added', () => {
    expect(sumOf({ card: 1, email: 2 }, { card: 2, phone: 1 })).toEqual({
      card: 3,
      email: 2,
      phone: 1,
    });
    expect(sumOf(null, { card: 1 })).toEqual({ card: 1 });
    expect(sumOf({ card: 1 }, null)).toEqual({ card: 1 });
    expect(sumOf(undefined, null)).toBeNull();
  });
});

/**
 * A message has at most 32,000 characters, which take milliseconds. Of three times as many, whatever takes time that
 * grows faster than the text comes to no end within 5 s.
 */
describe('time grows with the text, and no faster', () => {
  const fill = (part: string): string =>
    part.repeat(Math.ceil(100_000 / part.length)).slice(0, 100_000);
  test.each([
    '1',
    '1 ',
    '12 ',
    '123-',
    '4111 ',
    '4111111111111111 ',
    '0',
    '0 ',
    '00 ',
    '+',
    '+1',
    '+1 ',
    '+12025550123 ',
    '(',
    '(1',
    '(0)',
    '020 7946 0958 ',
    '0 20 ',
    '1.',
    '31.12.2027 ',
    '@',
    'a@',
    'a.',
    '@a.',
    'a@a.a',
    'ann@example.com ',
    'a',
    'DE',
    'DE00',
    'DE00 ',
    'DE89 3704 0044 0532 0130 00 ',
    'IBAN',
    '"',
    '"@',
    '１',
    '\u200B1',
    '1\u200B',
    '𝟏 ',
    '用@',
    'call ',
    'call 2025550123 ',
    'phone me at on my ',
  ])(
    '%j',
    async (part) => {
      const text = fill(part);
      const settings = { ...ALL, language: 'en-US' };
      await redact(text, settings);
    },
    5_000,
  );
});

describe('a history', () => {
  const user = (text: string) => ({ role: 'user', text });

  test('is redacted in what the user says', async () => {
    const agent = { role: 'agent', text: '4111111111111111' };
    expect(await redactHistory([user('4111111111111111'), agent, user('Hi')], ALL)).toEqual([
      { role: 'user', text: '[card]', redacted: { card: 1 } },
      agent,
      user('Hi'),
    ]);
  });

  test('gives way to other work between messages', async () => {
    let turns = 0;
    const turn = (): void => {
      turns += 1;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    await redactHistory(Array(100).fill(user('4 '.repeat(800))), { redaction: ['card'] });
    clearImmediate(next);
    expect(turns).toBeGreaterThanOrEqual(9);
  });
});
