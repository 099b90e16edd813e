/**
 * For tests: what the unquantised model says (sentence-transformers/all-MiniLM-L6-v2, fp32, onnxruntime-node 1.16.3),
 * rounded to int8 and in base64; and the sha256 of the Float32Array that this embedder gives, the same on every machine.
 */
export const GOLDEN_VECTORS: readonly { text: string; vectorSha256: string; reference: string }[] = [
  {
    text: 'The user prefers window seats on long flights.',
    vectorSha256: 'c1904e7f97fef34ad9d64590a3ef43351e9235cec5be128326f49da0cfec8a60',
    reference:
      'ZxAFAe4XUesQMexb2SQPyxfF5QT+0uUqwtL6KCIOA/8XI8iuzO7tztnbDjjoCNv+SUbu+v+7DPbpLcsH4/XZKccMzOD2AM9CEDUqwwW99vsa+boS' +
      'UfjJ7bP2BttaAs4jwCnZEvwaN33o6wQABdOWHhQXsRfpAhv47QkhC9bXKADP2woTSCDFF/0M5Pgk3nz540m6zvjOFR814Qn+AS64J8vz0Av1EhkM' +
      'kO3jZL0iFyPXUOYp9trc6EcwH+X79hTwAA4M8Pj2ESkNA8nDEEoP2FQVQu4fzNfLCOTl9Qot5QAXvdHk//jkCtnl2xovBzniO+LYMVjzvufz+Cwn' +
      'zPDfBtPRGQ/bPalEKgF//FEN8bX28u3K4Qv+EdXdHMMa5AoI2+oWJCcVAqYCPdAVWTYGIxvrPgX/Gu8kwP4zMxHz/QDI+T8Y0eAUBbjmIQ0iOw9D' +
      'wCjWPu8hLTYbQazcNd7UOt7y/gke9fXu+t7cGzsdLxDN+hX1EhUPAP0BMwMJWKxO',
  },
  {
    text: 'Caroline adopted a second dog from the shelter in May, and named it after her grandmother.',
    vectorSha256: '502f6d2e720d106c2db977383b1baf5e9b1cb0733128bcf002ef4391f1418f0a',
    reference:
      'zQUYUc8D1/UX5kDkLL4YVecjKujUxhTi+0ADFh/W7wjjPRbd3CsH7wYHNNK7Csrs/u784/719jkF/f7v6T77/+juvPH84jf8PeL6/AV/FPXR5wL/' +
      '4Dna18DwDJz2IA239AskD88/DiM0ugLmRyf37OgRDQwRExvSHQrwy/Ii5QAOE/cUDBj16d6v4+QKreYttfY2MgIy8PrkBB3tCBIq5yHv9vkkztMj' +
      'FutUBvu8DtcatPnr9zLbDBz6BBE8A0wAWAIFJ948HvohziAcSgoKtCoJCUvZ0NgLpiUSRvzaCQD6F0P2+rzJ6g8A4+807ftQ7foVnfAh4/k27B42' +
      '86bk2zMG/ScP4PLZ9e7TFkwJIuoW6A3o3goCDBERPwIhAukn0OT2z/ru3z3xAg9hCvXiCZrJ+zX9tR4rCNr6RCDvtQAL0dULUALS/coLsBnhCDT+' +
      'UAobP9j6PfTfy/wP7PnbROIx4tgi5AMLPyXsCg44KMoRyMcfCgLwHfwUPRfiIxA8',
  },
  {
    text: 'Deploy failed: connection refused on port 5432 (PostgreSQL).',
    vectorSha256: '00c5a86fd44fd6f0b8fc7cd82697dba054c6f732606f2a5283770413c03cfef8',
    reference:
      'Nw7UxK3k0OgJA94Q0fwnQz71Mx3Ey/T98xPAW+wKo+osSRpNOefoCUYr1jTuuCv99NGsGuui9fAXPjvXSDHf/73aQccUFgQ+v8/+MyK/FhfP9KdV' +
      'ntLo9gMG6xu8AAYIM//L7k/a5iC76tHF3AYZBLjn+Q7E/u/m8A3/ANwRGgBF6EgdQ94UCBI75t/ytSvtFh4x2/3f5f8mB/PkPx4DIUv7N7rOGLJO' +
      '+Pun9zYkEdsk9NqiC1YoEuj9wPYIOektd+rVSwBU3fsGETu02Ec3+BfgngbLTBBI81TjFFnh6gCSuwf8BeIbETEZIyQpxozf20K9Ns9dNhji3gDZ' +
      '7xBqf+BbqvcMEibe5ddj9vofIqUIDdch7x4v9dbtCAjy3wn8KyL3VzDx+DH/Qcr3uznmaBf9rNUBwRD4IzkB0tcq2gAZ+M3S7UMa/fT16STqTqmp' +
      '3fAw0suj7xH12PPV8h365sMQ2OM8LAv69Sj7Dgc48SHFJRb9CxwuMPAuge0HJSbp',
  },
  {
    text: '東京は日本の首都です。',
    vectorSha256: '331817fc94c755d057813e53a599165466e24894418426ae0836cb9970ca599a',
    reference:
      'ZktJ69weR//e6EiG1xUlvhntF90Y1hQ+Cg77MCQOyCJF+QceEcoY6bwSE/4FExpAAwAF7+4d+En9Hg/llQDxBG0EEkDC1SXwDda57Z4G/OwA+gsw' +
      'NQje+e3luy/cFowQ1EAuDxojESXs5Oft6efD38vZGCxd8MQe1Ovw8JcZTwAqqRgzAOIEKekFDeAQzzQsLAVA+xvD+98R/wnS+iAR1AEdEN4IVhoa' +
      'IdfIxlUlHdYrG/nvxQtiKRgu00/2Mbgc29ftzBblvetJMsX/wivnJcji0VJPIjQMFx7gzELc2AAxGargkgfQQ/z95P9QGukxKwfEKvq1Si3h/2Mi' +
      'Niu5C+A8/e8c0hY+7Ro/D+xDp+ajGhrZ3Nz3GwX/3vD84wAQz+L7OjgOLA7JJLLp/zYtEuZWu8kKD6Uf/sQEUOPu5gDZyQ0e8cr8ECsUNSHf9772' +
      '4vkJ7zbZMiPrCOH12g0dGcv83d0hHNDeEuns8WLRQvMb5J0BERroMxDVLRXQaoHu',
  },
];
