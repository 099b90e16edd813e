import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type LayoutName, LAYOUTS } from '../../src/assemble/layouts.ts';
import { formationSettings } from '../../src/form/formation-settings.ts';
import { redactSensitive } from '../../src/language/privacy-policy.ts';
import type { LanguageModel } from '../../src/models/language-model.ts';
import type { Reranker } from '../../src/models/reranker.ts';
import { createVarve } from '../../src/varve.ts';
import { databases } from '../databases.ts';
import { allOrTurn } from '../random.ts';
import { tally } from './tally.ts';

/**
 * Messages as people type them, each with the part that must not be stored. The keys are invented and concatenated, so that secret scanners
 * do not report this file.
 */
const SECRETS: readonly (readonly [message: string, secret: string])[] = [
  ['my pw is blauerWal77', 'blauerWal77'],
  ['ok so I use Tulip!Tower9 as my password everywhere, bad I know', 'Tulip!Tower9'],
  ['the wifi password is marmalade-skies', 'marmalade-skies'],
  ['password: hunter3', 'hunter3'],
  ['My Netflix password’s Qwop_8812', 'Qwop_8812'],
  ['changed my password to Kestrel#41 yesterday', 'Kestrel#41'],
  ['Kestrel#42 is my new password', 'Kestrel#42'],
  ['pass: 9kLmm2!!x', '9kLmm2!!x'],
  ['login is ana@example.org / Sommer2026!', 'Sommer2026!'],
  ['credentials: admin:Vogel77haus', 'Vogel77haus'],
  ['Mein Passwort ist Regenbogen55', 'Regenbogen55'],
  ['das WLAN-Kennwort lautet blumenkohl_3', 'blumenkohl_3'],
  ['mi contraseña es Girasol2024', 'Girasol2024'],
  ['mon mot de passe : Tournesol!9', 'Tournesol!9'],
  ['minha senha é praia2025', 'praia2025'],
  ['la mia password è gelato_81', 'gelato_81'],
  ['mijn wachtwoord is fietsbel22', 'fietsbel22'],
  ['我的密码是 Xiaoming88', 'Xiaoming88'],
  ['パスワードは sakura2026 です', 'sakura2026'],
  ['мой пароль: Berezka17', 'Berezka17'],
  ['the pin for my card is 4821', '4821'],
  ['PIN 7719', '7719'],
  ['alarm code is 55120', '55120'],
  ['my 2fa code is 482 913', '482 913'],
  ['the safe combination is 12-34-56', '12-34-56'],
  ['passphrase: correct horse battery staple', 'horse battery staple'],
  ['my passphrase is orange violin tired seventeen', 'violin tired seventeen'],
  [`here is the key sk-${'proj'}-9aKd83hfJsLq0Zx72bQpWm4T`, '9aKd83hfJsLq0Zx72bQpWm4T'],
  [`sk-${'ant'}-api03-Zk29dkLsmQp10xBvWe83hfk2`, 'Zk29dkLsmQp10xBvWe83hfk2'],
  [`token ${'ghp'}_Zk29dkLsmQp10xBvWe83hfk2Tq91`, 'Zk29dkLsmQp10xBvWe83hfk2Tq91'],
  [`${'github'}_pat_11AAZk29dkLsmQp10xBvWe83`, '11AAZk29dkLsmQp10xBvWe83'],
  [`use ${'glpat'}-Zk29dkLsmQp10xBvWe83`, 'Zk29dkLsmQp10xBvWe83'],
  [`AWS id ${'AKIA'}Z3KQ9LM2PXW7RT5B`, 'Z3KQ9LM2PXW7RT5B'],
  ['aws_secret_access_key = wJa1rXUtnFEMI/K7MDENG/bPxRfiCYz9kq2LdkQw', 'wJa1rXUtnFEMI/K7MDENG/bPxRfiCYz9kq2LdkQw'],
  [`slack ${'xoxb'}-2841-99183-kLmQp10xBvWe83hf`, '2841-99183-kLmQp10xBvWe83hf'],
  [`stripe ${'sk_live'}_Zk29dkLsmQp10xBvWe83`, 'Zk29dkLsmQp10xBvWe83'],
  [`google ${'AIza'}SyD3kLmQp10xBvWe83hfk2Tq91Zk29dkLs`, 'SyD3kLmQp10xBvWe83hfk2Tq91Zk29dkLs'],
  [`${'hf'}_ZkdkLsmQpxBvWehfkTqZkdkLsmQ`, 'ZkdkLsmQpxBvWehfkTqZkdkLsmQ'],
  [`${'npm'}_Zk29dkLsmQp10xBvWe83hfk2Tq91Zk29dkLs`, 'Zk29dkLsmQp10xBvWe83hfk2Tq91Zk29dkLs'],
  [`${'eyJ'}hbGciOiJIUzI1NiJ9.${'eyJ'}zdWIiOiIxMjM0In0.dQw4w9WgXcQabc`, 'dQw4w9WgXcQabc'],
  ['Authorization: Bearer 9f8e7d6c5b4a39f8e7d6c5b4a3', '9f8e7d6c5b4a39f8e7d6c5b4a3'],
  ['curl -u ana:Falter99x https://example.org', 'Falter99x'],
  ['DATABASE_URL=postgres://shop:Brombeere7@db.example.org:5432/shop', 'Brombeere7'],
  ['mongodb+srv://root:p4ssw0rt@cluster0.example.net/test', 'p4ssw0rt'],
  ['redis://:s3cr3tredis@10.0.0.4:6379', 's3cr3tredis'],
  ['SMTP_PASSWORD="lampion-42"', 'lampion-42'],
  ['{"user": "ana", "password": "zitrone77"}', 'zitrone77'],
  ['api key for weather is 9f8e7d6c5b4a3f2e', '9f8e7d6c5b4a3f2e'],
  ['client secret: 7Gh~kL2.mQp10xBv', '7Gh~kL2.mQp10xBv'],
  ['my card is 4111 1111 1111 1111 exp 09/28', '4111 1111 1111 1111'],
  ['card 5500.0000.0000.0004', '5500.0000.0000.0004'],
  ['amex 3782-822463-10005', '3782-822463-10005'],
  ['4111\n1111\n1111\n1111', '1111\n1111'],
  ['４１１１ １１１１ １１１１ １１１１ is the number', '１１１１ １１１１'],
  ['4111\u200B1111\u200B1111\u200B1111', '1111\u200B1111'],
  ['IBAN DE89 3704 0044 0532 0130 00', '3704 0044 0532'],
  ['my ssn is 078-05-1120', '078-05-1120'],
  ['passport number X1234567', 'X1234567'],
  [
    'seed phrase: abandon ability able about above absent absorb abstract absurd abuse access accident',
    'absorb abstract absurd',
  ],
  ['legal winner thank year wave sausage worth useful legal winner thank yellow', 'wave sausage worth'],
  [
    '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----',
    'b3BlbnNzaC1rZXktdjEAAAAA',
  ],
  ['Zk29dkLsmQp10xBvWe83hfk2Tq91ZkAAbx72LsQd', 'Zk29dkLsmQp10xBvWe83hfk2Tq91ZkAAbx72LsQd'],
  ['password pa\u200Bnda99x', 'nda99x'],
];

/** A reranker that keeps the order and records its input. */
function listeningReranker(sent: string[]): Reranker {
  return {
    id: 'listening',
    async rerank(query, documents) {
      sent.push(query, ...documents);
      return { ranking: documents.map((_, index) => ({ index, score: 1 - index / 100 })), tokens: 0 };
    },
  };
}

/** A model that returns nothing and records its input. */
function listeningModel(): { model: LanguageModel; sent: string[] } {
  const sent: string[] = [];
  const usage = { inputTokens: 0, outputTokens: 0 } as never;
  const model: LanguageModel = {
    async generate({ prompt }) {
      sent.push(prompt.system, prompt.user);
      return { data: {} as never, model: 'listening', usage, repaired: false };
    },
    async generateText({ prompt }) {
      sent.push(prompt.system, prompt.user);
      return { data: 'Nothing.', model: 'listening', usage, repaired: false };
    },
    modelOf: () => 'listening',
  };
  return { model, sent };
}

describe('secrets (F14)', () => {
  it.each(
    databases()
      .filter(({ skip }) => skip === null)
      .flatMap((database) => [true, false].map((redactEvents) => ({ database, redactEvents, name: database.name }))),
  )(
    'are neither stored, nor sent to a model, nor recalled, on $name (events redacted: $redactEvents)',
    { timeout: 120_000 },
    async ({ database, redactEvents, name }) => {
      const counted = tally(`secrets on ${name}, events ${redactEvents ? 'redacted' : 'raw'}`);
      const { options, drop } = await database.create();
      const { model, sent } = listeningModel();
      const varve = await createVarve({
        store: options,
        embedder: null,
        background: false,
        languageModel: model,
        reranker: listeningReranker(sent),
        formation: { redactEvents },
      });
      for (const [index, [message, secret]] of SECRETS.entries()) {
        const handle = varve.for({ user: `user-${index}`, session: 's' });
        await handle.logInteraction({ userMessage: `${message}`, agentResponse: 'Noted.' });
        await handle.recordObservation(`User says: ${message}`, 'fact');
        await handle.memories.create({ type: 'fact', content: message });
        await handle.form().catch(() => undefined);
        const next = varve.for({ user: `user-${index}`, session: 'next' });
        const given: unknown[] = [
          (await next.recall(message.slice(0, 200), { abstain: false, limit: 50 })).results.map(({ text, memory }) => [
            text,
            memory?.content,
          ]),
        ];
        given.push((await next.memories.list({ limit: 100 })).items.map(({ content }) => content));
        for (const layout of allOrTurn(Object.keys(LAYOUTS) as LayoutName[], index)) {
          const { system, messages } = await next.context({
            message: 'What do you know about me?',
            layout,
            lookup: 'always',
          });
          given.push(system, messages);
        }
        if (redactEvents) given.push((await next.events.list()).items.map(({ content }) => content));
        const text = [JSON.stringify(given), ...sent.splice(0)].join('\n');
        const found = text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1));
        counted.note(`${message} → ${secret}`, found);
      }
      await varve.close();
      await drop();
      counted.close(2 / 60);
    },
  );

  it('redaction is idempotent', () => {
    const policy = formationSettings().privacy;
    for (const [message] of SECRETS) {
      const once = redactSensitive(message, policy);
      expect(redactSensitive(once, policy)).toBe(once);
    }
  });

  it('ordinary messages are not redacted, except for at most 1 % of 500', () => {
    const policy = formationSettings().privacy;
    const messages: string[] = [];
    for (const file of readdirSync('train/talk/data').sort()) {
      const { turns } = JSON.parse(readFileSync(`train/talk/data/${file}`, 'utf8')) as { turns?: { text: string }[] };
      messages.push(...(turns ?? []).map(({ text }) => text));
    }
    const step = Math.max(1, Math.floor(messages.length / 500));
    const chosen = messages.filter((_, index) => index % step === 0).slice(0, 500);
    expect(chosen).toHaveLength(500);
    const counted = tally('false alarms on ordinary messages');
    for (const message of chosen) counted.note(message, redactSensitive(message, policy) !== message);
    counted.close(0.01);
  });
});
