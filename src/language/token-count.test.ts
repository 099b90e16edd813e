import { describe, expect, it } from 'vitest';
import { cpuTime } from '../../test/cpu-time.ts';
import { estimateTokens, estimatingCounter, tokenizerCounter } from './words.ts';

// Counted with gpt-tokenizer 4, o200k_base.
const COUNTED: [string, number, string][] = [
  [
    'English',
    50,
    'Last month I moved from Hamburg to Munich, and I now work as a product manager at a software company. On weekends I like to hike or cook at home; lately I have been learning the piano, and I practise for an hour every evening.',
  ],
  [
    'code',
    67,
    'export function balanceOf(reader: Reader, owner: CreditOwner): Promise<number> {\n  const row = await reader\n    .selectFrom("credit_accounts")\n    .select("balance")\n    .where("tenant_id", "=", owner.tenant)\n    .executeTakeFirst();\n  return row?.balance ?? 0;\n}\n',
  ],
  [
    'JSON',
    43,
    '{"facts":[{"content":"Ada lives in Oslo","importance":0.8,"tags":["home","city"]},{"content":"Ada has a dog named Max","importance":0.4,"tags":[]}]}',
  ],
  [
    'Chinese',
    47,
    '我上个月从上海搬到了北京，现在在一家软件公司做产品经理。我喜欢周末去爬山，也喜欢在家里做饭。最近我正在学习弹钢琴，每天晚上练习一个小时。',
  ],
  [
    'Japanese',
    55,
    '先月、東京から大阪に引っ越しました。今はソフトウェア会社でプロダクトマネージャーとして働いています。週末は山に登ったり、家で料理を作ったりするのが好きです。',
  ],
  [
    'Korean',
    42,
    '지난달에 서울에서 부산으로 이사했습니다. 지금은 소프트웨어 회사에서 제품 관리자로 일하고 있습니다. 주말에는 등산을 하거나 집에서 요리하는 것을 좋아합니다.',
  ],
  [
    'German',
    35,
    'Letzten Monat bin ich von Hamburg nach München gezogen und arbeite jetzt als Produktmanager bei einem Softwareunternehmen. Am Wochenende gehe ich gerne wandern oder koche zu Hause.',
  ],
  [
    'Russian',
    39,
    'В прошлом месяце я переехал из Казани в Москву и теперь работаю менеджером по продукту. По выходным я люблю ходить в горы или готовить дома.',
  ],
];

describe('the token estimate', () => {
  it.each(COUNTED)('is within 15 percent of the count of a tokenizer for %s', (_name, tokens, text) => {
    expect(Math.abs(estimateTokens(text) / tokens - 1)).toBeLessThan(0.15);
  });

  it('is 0 for an empty text, above 0 for any other, and does not shrink when a text grows', () => {
    expect(estimateTokens('')).toBe(0);
    for (const text of ['a', ' ', '\n', '.', '好', '🎉']) expect(estimateTokens(text)).toBeGreaterThan(0);
    const text = COUNTED.map(([, , each]) => each).join('\n');
    for (let end = 1; end < text.length; end += 7) {
      expect(estimateTokens(text.slice(0, end + 7))).toBeGreaterThanOrEqual(estimateTokens(text.slice(0, end)) - 1);
    }
  });

  it('estimates a megabyte in less than 200 ms', () => {
    const text = 'The quick brown fox jumps over the lazy dog. '.repeat(25_000);
    expect(cpuTime(() => estimateTokens(text))).toBeLessThan(200);
  });
});

it('can be exchanged for an exact tokenizer', () => {
  const exact = tokenizerCounter('by-words', (text) => text.split(' '));
  expect([exact.id, exact.count('one two three')]).toEqual(['by-words', 3]);
  expect(estimatingCounter.id).toBe('estimate');
});
