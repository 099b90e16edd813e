/**
 * For tests: the vectors of the merged model without the kernel and without quantisation (train/embedder/reference.ts prints this list),
 * rounded to int8 and in base64; and the SHA-256 hash of the Float32Array that this embedder returns, which is the same on every machine.
 */
export const GOLDEN_VECTORS: readonly { text: string; vectorSha256: string; reference: string }[] = [
  // cosine with the kernel's vector: 0.9967
  {
    text: 'The user prefers window seats on long flights.',
    vectorSha256: 'ca9c2fc612a08514c69324f5a7382f7e8cf429a67b3cd193cd7bb7ea20aa8a45',
    reference:
      'VhP87/n+MPf4IAhI0CQL1g3U7AgR2OIS5MUAMzsC/A4ECOnLAxLt3MjIFCLh//L2Ty37CvzGAO/QNtrs9gjdD9f91dwqCdI9Fike3f/P7RIW6v' +
      'IBPQK61ZreIe1RFsgc5CrtMQEQNXbe4Q8NB+CqJQUMtwHRBQjs8u0LA9fEDADU6+v8O0LZBRL12N8XsX/39lPUx+nSMCQ/5CkI3iq0FuYA7RTo' +
      'Fwf5uPvkYf4kICDzLwQZ5dH75UYXHfXq+AkB8g0Q9tvsEj0b9NTKA0X81SwXHgH83d3xCenj7RAAyAAQydgIAgv+AgbsAhcs/D7nP/rmGVUXxg' +
      'b1AvQK1gzo+srvDwTlRK1BBv5hGD0K/70D6vXV9QT2+r7uC8cw5Bn8+hIBISQbJqwGPtYTNzoGJvnrFAb79/4R5fwrDxsaDwDo50EZr+0Q6tre' +
      'EwYML/kT3SXcKe4OJjgbOs7fLOzGMvHqANwiF9ffCMjjFCblFCjWARzzCA79/xgKGAvqT81Q',
  },
  // cosine with the kernel's vector: 0.9969
  {
    text: 'Caroline adopted a second dog from the shelter in May, and named it after her grandmother.',
    vectorSha256: '71d02362717946ed497fa459e108a2c33179ffd2a25c370f10de1b100976b928',
    reference:
      'zgsGLQDI1u0eAUjcOrbzYtsYD+v30uHn8A8NLiHCzRLoLRPO3DAu6cvqPvTaEbgCGQX30fn/DTvr/Avz6jr2+PX3tM8GyUHpMxr5/B10LQ7i4x' +
      'z25UzOwL3xFbTrNuC2FwEoR8VEHRoYyRD/TRHx/NUpAd4MBTLNLgfFvuAV8wACIyMoCCfz6r6Tz9rigfAzqvojKN1P6+nuCxDyBiY8+Q8MA/ka' +
      'ycwsGexC/+HC/9cGtgvz5T3kEhMK+zc4FDsNUOn2HNMxLwc/pgYKQyzmswAK5DvG1cDqyy7qV//WwQDoHE0b78Pn8wwS5f5Y6EJYCN/1j+dk6g' +
      'EmDB4u5Z31wBz87C39BvPe3Oy3IE39Je5HDhj62Avu4xsLWesx/9Y2DBfyBtMNFVDXChJN/PfFEJnN/UfjmyoZGdDQNPHstQAh2MMWIwj07+H3' +
      'sxcACELkHhH4LbUcI/7m4AID0grCX9oS7s75+gbgXQX+Gg8iK8c/xtsoChPjHBcYMSTpDS1W',
  },
  // cosine with the kernel's vector: 0.9973
  {
    text: 'Deploy failed: connection refused on port 5432 (PostgreSQL).',
    vectorSha256: 'e2cc92cf5b91ef5cb029e7ddb71ad39f6b2e2610b1c2bd1470ff2512d828907c',
    reference:
      'FvvByM+25fPsAxoV/fscKBnrFxrT3MbuD/rAWvLlnfkIHC8oLAr/+A71BTD19xAXEuTA/fvRC/b2QBP3MRvNA+/WJbwVAv8uu/8KNA7gGBvO4M' +
      'lT2P/u9wTfBSD3KtL7UP/FOx354xDO7+8EAvn1Devt5vbC5v3h8vLp7Mr6LQAl6S8KQ+/56P0g5+zgwDbrOjk47+u79/EuKuoFOC0G8ykIIe3U' +
      'BMdE+AS7/TcYFvEl883f+kEeFBARziDoPNUOU+rnN/gg8vIzHAvPyTob3wPRkwzTN/4n80y4GDrbyACB1+sU9eA0FSorJRk76+f1CjrFGNpdKR' +
      'n3AQzw3vNPMMJnuwQQKB3M8QEbEO0VH8T7CO4QCf0N8wMJDwUW3vMDUy/oUR8eHB3/KvD/v1bRRQcM0c4Qzyr0Ggr08uVC8gADBfv+6k4c4ezr' +
      '0BjcL9Oe6vwAw+Ld7gLi6RAB2QTm99vl3OAPJOroCgACEwMn7AwOBBv0+SApHv8Ir/YDMhYG',
  },
  // cosine with the kernel's vector: 0.9971
  {
    text: '東京は日本の首都です。',
    vectorSha256: '506733f5fa7da6267a48f9162e2617a27bba49c94c95c506326f9e0b0bbc5b7e',
    reference:
      'T/bsCQvhOx7b8HOyGi8Q1BkOG9T+yxkdKx0iVCoQ3i8W/E8d+SIlzcb2RvAgK+QiRsoB2AgNAk3l7A0n5+HtHX8ZEQ7e0SrkCQq88dUSCS4U0x' +
      'sT7CfnneADDS38BLD/wCYMP/r8XwDu5Ob+8yavA+Ty//M4F8oQ4c7IzLvX1QD5wyfm5PLE9Nj66aXTnU39HUDy6tv69sbXFwHwCiX49hce8g0e' +
      '5OweCv3CE1tL+MIgBePP7/NILwEDEGjEG7UAIgQZ7e4dCegrc8n3tkrmEJUZv1lMCxfSEhLd9SjgoQDiEtga5REPLc790v0o/zAreBaQFyoE6S' +
      'DqNfUG51Wg3cEsxN792cYTuxPkTM7g3Sn67c8VANS97fwRz8A10dwbGyU5HBz+DhCzMPH+GTU+FSZjzvAb+cn4LgXmMLIhxAADxDwB2fMKBwkY' +
      'GU7RLbjaEUG42xAmAAwg+/Ue0iQX+N/W8NUtEc6kL8buO0IGSQ8dvsz7B/3b+R0I9j0ZGPb8',
  },
];
