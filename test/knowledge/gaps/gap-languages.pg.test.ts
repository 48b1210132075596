import { beforeAll, describe, expect, test } from 'vitest';
import {
  shareConversationFixture,
  type ConversationFixture,
} from '../../conversations/conversation-setup.ts';

let fixture: ConversationFixture;
beforeAll(async () => {
  fixture = await shareConversationFixture();
});

/** `known`: questions that the text answers; `asked`: one that it does not answer, in three ways; `other`: another one. */
const SHOPS = {
  japanese: {
    text: '# 返品と交換\n\n返品は商品到着後30日以内に承ります。\n\n# 支払い方法\n\nクレジットカードと銀行振込がご利用いただけます。',
    known: ['返品できますか？', 'クレジットカードは使えますか？'],
    asked: ['駐車場はありますか？', '駐車場はありますか', '駐車場はどこですか？'],
    other: '採用情報を教えてください',
  },
  chinese: {
    text: '# 退货\n\n收到商品后三十天内可以退货。\n\n# 付款方式\n\n我们接受信用卡和银行转账。',
    known: ['可以退货吗？', '能用信用卡吗？'],
    asked: ['有停车场吗？', '请问有没有停车场', '停车场在哪里？'],
    other: '你们招聘店员吗？',
  },
  thai: {
    text: '# การคืนสินค้า\n\nสามารถคืนสินค้าได้ภายใน 30 วันหลังจากได้รับสินค้า\n\n# วิธีการชำระเงิน\n\nเรารับบัตรเครดิต',
    known: ['คืนสินค้าได้ไหม', 'รับบัตรเครดิตไหมครับ'],
    asked: ['มีที่จอดรถไหม', 'มีที่จอดรถหรือไม่ครับ', 'ที่จอดรถอยู่ที่ไหน'],
    other: 'รับสมัครพนักงานไหม',
  },
  korean: {
    text: '# 반품 및 교환\n\n상품을 받으신 후 30일 이내에 반품하실 수 있습니다.\n\n# 결제 수단\n\n신용카드를 이용하실 수 있습니다.',
    known: ['반품은 가능한가요?', '신용카드로 되나요?'],
    asked: ['주차장이 있나요?', '주차장은 있습니까?', '주차장은 어디에 있나요?'],
    other: '직원을 채용하나요?',
  },
  hindi: {
    text: '# सामान की वापसी\n\nसामान मिलने के 30 दिनों के भीतर आप उसे वापस कर सकते हैं।\n\n# भुगतान\n\nहम क्रेडिट कार्ड स्वीकार करते हैं।',
    known: ['क्या मैं सामान वापस कर सकता हूँ?', 'क्या आप क्रेडिट कार्ड लेते हैं?'],
    asked: ['क्या वहाँ पार्किंग है?', 'पार्किंग कहाँ है?', 'क्या पार्किंग मिलेगी?'],
    other: 'क्या आप जूते बेचते हैं?',
  },
};

describe.each(Object.entries(SHOPS))('in %s', (name, { text, known, asked, other }) => {
  let agent: string;
  beforeAll(async () => {
    const json = { type: 'text', name, text };
    expect((await fixture.call('POST', '/v1/knowledge/sources', { json })).status).toBe(201);
    agent = await fixture.newAgent({ knowledge: { source_names: [name] } });
  });
  const gaps = async (): Promise<{ question: string; count: number }[]> => {
    const { body } = await fixture.call('GET', `/v1/knowledge/gaps?agent_id=${agent}`);
    return body.data.map(({ question, count }: { question: string; count: number }) => ({
      question,
      count,
    }));
  };

  test('questions that are answered make no gap and call nobody', async () => {
    const id = await fixture.start({ agent_id: agent });
    for (const question of known) {
      const { body } = await fixture.say(id, question);
      expect(body.turns.at(-1).retrieval.chunks).not.toEqual([]);
      expect(body.conversation.status).toBe('active');
    }
    expect(await gaps()).toEqual([]);
  });

  test('a question without an answer is one gap in all its ways, and another one is another', async () => {
    for (const question of [...asked, other]) {
      const id = await fixture.start({ agent_id: agent });
      const { body } = await fixture.say(id, question);
      expect(body.turns.at(-1).retrieval.chunks).toEqual([]);
    }
    expect(await gaps()).toEqual([
      { question: other, count: 1 },
      { question: asked[0], count: asked.length },
    ]);
  });
});
