/**
 * For tests: what the merged model says without the kernel and without quantising (train/embedder/reference.ts, which
 * prints this list), rounded to int8 and in base64; and the sha256 of the Float32Array that this embedder gives, the
 * same on every machine.
 */
export const GOLDEN_VECTORS: readonly { text: string; vectorSha256: string; reference: string }[] = [
  // cosine with the kernel's vector: 0.9951
  {
    text: 'The user prefers window seats on long flights.',
    vectorSha256: '34bce3871a015b7891c336f90880de1d151c58e0ba2b0cef35dae891a0a4b14f',
    reference:
      'XRD19AkFMgj9MvRa3hgO2QbZ7Bgn6c4Q0dDvND8SBP8UBcil1hDhzNHVEifU/O0KRyHvHgHG+d/POMgI6w/sCNYM1tMhHc0x9RYNxgXI9hEeBN' +
      'QAOA/XyKbdKt1WFtsuzD3xFgzxMXL28BD/8ObCLQUKtuTE+xjr4u0F7+nWCQDG7e4QPkbqLxb+6NUQwn/m9TKxz+jRKzEy1yoLwii8IvH+zwkE' +
      'FgsFoQ3kZf8bBjHQMRAfB9fv6kgzGfnc6Qj/CgsT7tYFH0Eb+tPJCVP/0TkbDPv/1+HZBuvzCBwE/QAa2eHvBRb04//nChUfFU3UHfPNI18Bwf' +
      'AL5gEU4wzmEM/wF/7bWcgo+ftz7kL99qUC8ffLAh7n78zeEcot6A8A5ggVKR4EE68WRdomQDsDKhb8HfL2APcQ0t4bFBQDFgDU4EMmyf/+zszm' +
      'B/8XLf8ZuCbYOvgMHlMaR7zTHenGMvYCGv8ZHuz/BrjqGCf6EDjfKif2EwT4ESIVHeTqYMla',
  },
  // cosine with the kernel's vector: 0.9944
  {
    text: 'Caroline adopted a second dog from the shelter in May, and named it after her grandmother.',
    vectorSha256: 'bec3a853aca342717d899bc3a9cd5542c530ac58c3360867d2a5894da64e2428',
    reference:
      '0wsMMvjl1ucSACv4Ksz8XNwuE+rs4t7h9Sv4MSnn5P/tIQu9xR0V8/EINOzIBLQH/O4O3AX36xMB++7p2DkM7e/+wNsN5DLqNu7k8wx/Kh/iAw' +
      'Hq20/YwMHpD6b7Kf3L4hIlFdkpDhQ3wwflLx75CeMSAO/7CTLPGQLVuewX5AAAFxUZFR8I9uCZ9tD3p9ckvsMWLOU3+vzfDgQKAh4o/hj83d80' +
      '08gTIwRBBwjE++cQvw319R/cBhoX+wks+EAVVOYPHrxBLRAwwCAiQTT1sx0WBDTF5MX+2yv1TwzeAQD+Hk3u88Xc6QMC9PBEAjRP5/0Buu0p3P' +
      'c08ikdBKTl6DH8+SED+/jK5fHj90X4FNgxDBXl8Qr58hcIRgEj+Ngi4AIB/N3z/0jgBxRk+gLcEsPW8i7zoxsbAr/oKPbv2AAm0M0PT/bg2ekQ' +
      'sgbuAS7uExATLskTOwL/6Pn/6wbTS+Il7ekA8A4RSwHwExIVHeUn3N0lDgvkGREoJfHjEyhh',
  },
  // cosine with the kernel's vector: 0.9955
  {
    text: 'Deploy failed: connection refused on port 5432 (PostgreSQL).',
    vectorSha256: '2c958124d3aaba1821c7e21b990ca83e21bd106b23d1672a023d361ec2f2e50c',
    reference:
      'J/TEvc/ZwensDQIdAAYqNRXiFDbb5sP2+/7BZ/EGtu4ZLTQrN+7z7ykB6T7t4iQHAdK9HfHG7Nr8UhzpNSToAOLcIKojAPQtsezyJxXLIiXO68' +
      'NWvP/35v/jFiHcDvnzOf/VDULS4STO4vP25vIHBcjV7v7B5vTg6+/c5dsKIwAj9j0RR/UICgwzAODmxSrqIRkw5++//wYjLOALOSQR7iv5Isjj' +
      'FbYr/AKiBFIhA+QSBd/KEkMeFA0S0vruKtgTdtvsOuFD8gc8JBXA0UE03wfUjAfRNgg3/l/XKD3r7ACB0+/+7+8oBTYjLxcw2c7m30nJQ9hILB' +
      '4I3wHk+QhkXuBnreEhICfC7vUy9PILHqX2FOkEHxEP9eUDFgIF0ezvPA/9YSMH+CwXMPMErE3hZR0KsMUQwxz0Dv7j3tlI6QAKDePlEEQg0/v7' +
      '3RPYRciXufsYzN258iAC6gzhxhXo7efz2f8oMe39Bw79BAUu5Cb2KSz4+RQfNgMopN/8Pyf7',
  },
  // cosine with the kernel's vector: 0.9946
  {
    text: '東京は日本の首都です。',
    vectorSha256: 'b241fcfa34f140f0a056c4718367952b0d7318acdf332f6e082c839abbaefaf1',
    reference:
      'auP1+RXuOB3U+WacOS0Q2hcnQdz95xQiMyYubyg51iAm/2ce3Sk3wMsTTOT3IdYjH7AH0RAWBzbp+QNCvt4C/XoSAzfk0iPRBfC3584IBjMdzB' +
      'L8xC75iPHzJTDw8MsAn10jIx23aOka4+D42iG6F+f8H+FAEcgVxcvBqLziwwAL0jzx8fLTKvn5+Y/IpDD3MBXtB+AN9925D+DrDSH09iQm5fI9' +
      '4N8dBhG1EmJM4L4/ON7F/ulNOg8RGWSlFqLxTxMtyM9EEfo3efH+t27YC5MmpW5SIS3WEiPw9y7f2QAEG98E8xwKDM3qzvoFITsSZSGJMjLe5h' +
      'UYI/n9CH2XAecwr9TuzN38rgfnT7+6sDwA78YMJOymAvv8z9ogwsIF/RRLHRnp6yS8J/YuGidSEWp/xvUqCsT/GsneJKQFzAABpjz7CwkS4ClM' +
      '/UfCJYfG8Dux6uAw/BIeEgkRzyIS49zw+uMNF6e2MbPaN0EJTCMbzdT4Bt3KHhoa7CL7IwAT',
  },
];
