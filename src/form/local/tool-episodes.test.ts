import { describe, expect, it } from 'vitest';
import { SAID_AT, turnsOf } from '../../../test/read-conversation.ts';
import { extractStatements } from './extract-statements.ts';

describe('tool calls', () => {
  it('[L6] become episodes: what was done and why, without secrets', () => {
    const [episode] = extractStatements({
      turns: turnsOf(['Publish it', 'A: Done.']),
      toolCalls: [
        {
          name: 'publish_post',
          turn: 2,
          calledAt: SAID_AT,
          input: { title: 'Diwali Sweets', api_key: 'sk-123' },
          succeeded: true,
          reason: 'the user approved the draft',
        },
      ],
    });
    expect(episode).toMatchObject({
      type: 'episode',
      turn: 2,
      content: 'Agent ran publish post (title: Diwali Sweets) for User because the user approved the draft.',
    });
  });

  it('that failed say so', () => {
    const call = { name: 'sendMail', turn: 1, calledAt: SAID_AT, succeeded: false };
    expect(extractStatements({ turns: [], toolCalls: [call] })[0]?.content).toBe(
      'Agent tried to run send mail for User; it failed.',
    );
  });
});
