import { describe, expect, it } from 'vitest';
import { createFailureLimit } from './limits.ts';
import type { DoorError } from './problem.ts';

describe('the limit of wrong keys', () => {
  const limitAt = (perMinute: number): { note(address: string): string; pass(seconds: number): void } => {
    let now = 0;
    const limit = createFailureLimit(perMinute, () => now);
    return {
      pass: (seconds) => void (now += seconds * 1000),
      note(address) {
        try {
          limit.note(address);
          return 'refused';
        } catch (error) {
          return `wait ${(error as DoorError).headers['retry-after']}`;
        }
      },
    };
  };

  it('allows each address a number of wrong keys per minute, and refills continuously', () => {
    const { note, pass } = limitAt(3);
    expect([1, 2, 3, 4].map(() => note('10.0.0.1'))).toEqual(['refused', 'refused', 'refused', 'wait 20']);
    expect(note('10.0.0.2')).toBe('refused');
    pass(15);
    expect(note('10.0.0.1')).toBe('wait 5');
    pass(5);
    expect([note('10.0.0.1'), note('10.0.0.1')]).toEqual(['refused', 'wait 20']);
  });

  it('counts an IPv6 /64 network as one address, and both notations of an IPv4 address as one', () => {
    const { note } = limitAt(1);
    expect([note('2001:db8:1:2::1'), note('2001:db8:1:2:a:b:c:d'), note('2001:db8:1:3::1')]).toEqual([
      'refused',
      'wait 60',
      'refused',
    ]);
    expect([note('::ffff:10.0.0.1'), note('10.0.0.1'), note('::1')]).toEqual(['refused', 'wait 60', 'refused']);
  });

  it('drops the least recently seen addresses when there are too many', () => {
    const { note } = limitAt(1);
    note('10.0.0.1');
    for (let index = 0; index < 10_001; index += 1) note(`10.1.${index >> 8}.${index & 255}`);
    expect(note('10.0.0.1')).toBe('refused');
    expect(note('10.1.39.16')).toBe('wait 60');
  });

  it('allows any number of wrong keys if the limit is 0', () => {
    const { note } = limitAt(0);
    expect(Array.from({ length: 100 }, () => note('x'))).toEqual(Array.from({ length: 100 }, () => 'refused'));
  });
});
