/**
 * Sentences that transcribers produce when nobody speaks, because these sentences accompany silence and music in their
 * training data. A text is dropped only if it consists entirely of such sentences. A longer sentence that contains the
 * same words is never dropped.
 */

/** Subtitle credits and closing words of videos. No caller says these to an agent. */
const CREDITS = `
Thank you for watching|Thanks for watching|Thank you so much for watching|Thank you very much for watching|Thank you all for watching
Thank you for watching this video|Thank you for watching my video|Thanks for watching and see you next time
Please subscribe to my channel|Please subscribe|Don't forget to like and subscribe|Please like and subscribe|Like and subscribe
Please like, comment and subscribe|Subscribe to my channel|See you in the next video|I'll see you in the next video|See you next video
Subtitles by the Amara.org community|Transcription by CastingWords|Transcribed by https://otter.ai|Transcript Emily Beynon
Subs by www.zeoranger.co.uk|For more information visit www.FEMA.gov|Satsang with Mooji|www.mooji.org
Untertitel der Amara.org-Community|Untertitelung aufgrund der Amara.org-Community|Untertitel von Stephanie Geiges
Untertitel im Auftrag des ZDF für funk, 2017|Untertitel im Auftrag des ZDF, 2017|Untertitel im Auftrag des ZDF, 2018
Untertitel im Auftrag des ZDF, 2020|Untertitelung im Auftrag des ZDF, 2021|Untertitelung des ZDF, 2020|Untertitelung. BR 2018
Vielen Dank fürs Zuschauen|Vielen Dank für's Zuschauen|Danke fürs Zuschauen|Vielen Dank für das Zuschauen|Copyright WDR 2021|SWR 2020|SWR 2021
Bis zum nächsten Video
Sous-titres réalisés par la communauté d'Amara.org|Sous-titres réalisés para la communauté d'Amara.org|Sous-titrage ST' 501
Sous-titrage Société Radio-Canada|Merci d'avoir regardé cette vidéo|Merci d'avoir regardé|Abonnez-vous à la chaîne|N'oubliez pas de vous abonner
Subtítulos realizados por la comunidad de Amara.org|Subtítulos por la comunidad de Amara.org|Subtitulado por la comunidad de Amara.org
Gracias por ver el video|Gracias por ver el vídeo|Gracias por ver|Muchas gracias por ver el video|Suscríbete al canal|No olvides suscribirte
Sottotitoli creati dalla comunità Amara.org|Sottotitoli e revisione a cura di QTSS|Sottotitoli a cura di QTSS|Grazie per la visione
Grazie per aver guardato il video|Iscrivetevi al canale
Legendas pela comunidade Amara.org|Legenda Adriana Zanotto|Obrigado por assistir|Obrigada por assistir|Inscreva-se no canal|Até o próximo vídeo
Ondertitels ingediend door de Amara.org gemeenschap|Ondertiteld door de Amara.org gemeenschap|Bedankt voor het kijken|TV Gelderland 2021
Napisy stworzone przez społeczność Amara.org|Dziękuję za oglądanie|Dziękujemy za oglądanie|Dzięki za oglądanie|Subskrybuj kanał
Altyazı M.K.|İzlediğiniz için teşekkür ederim|İzlediğiniz için teşekkür ederiz|İzlediğiniz için teşekkürler|Abone olmayı unutmayın
ご視聴ありがとうございました|ご視聴ありがとうございます|ご清聴ありがとうございました|最後までご視聴いただきありがとうございました
最後までご視聴頂きありがとうございました|チャンネル登録お願いします|チャンネル登録よろしくお願いします|チャンネル登録をお願いいたします|次回の動画でお会いしましょう
请不吝点赞 订阅 转发 打赏支持明镜与点点栏目|请不吝点赞订阅转发打赏支持明镜与点点栏目|請不吝點贊 訂閱 轉發 打賞支持明鏡與點點欄目
字幕由Amara.org社区提供|字幕由 Amara.org 社群提供|中文字幕提供|字幕志愿者 李宗盛|字幕志愿者 杨茜茜|谢谢观看|謝謝觀看|感谢观看|感謝觀看|谢谢收看|感谢您的观看
시청해주셔서 감사합니다|시청해 주셔서 감사합니다|구독과 좋아요 부탁드립니다|다음 영상에서 만나요|다음 영상에서 뵙겠습니다|MBC 뉴스 이덕영입니다|한글자막 by 한효정
Субтитры сделал DimaTorzok|Субтитры создавал DimaTorzok|Субтитры делал DimaTorzok|Редактор субтитров А.Семкин Корректор А.Егорова
Редактор субтитров А.Синецкая Корректор А.Егорова|Субтитры подогнал «Симон»|Продолжение следует|Спасибо за просмотр|Подписывайтесь на канал
Дякую за перегляд|Дякуємо за перегляд|Субтитрувальниця Оля Шор|Підписуйтесь на канал
ترجمة نانسي قنقر|اشتركوا في القناة|شكرا للمشاهدة|شكرا على المشاهدة|شكرًا لكم على المشاهدة
देखने के लिए धन्यवाद|वीडियो देखने के लिए धन्यवाद|चैनल को सब्सक्राइब करें
ขอบคุณที่รับชม|ขอบคุณสำหรับการรับชม|ขอบคุณที่ติดตามชม|อย่าลืมกดติดตาม
Undertexter från Amara.org-gemenskapen|Undertexter av Amara.org-gemenskapen|Tack för att ni tittade|Tack för att du tittade|Textning Stina Hedin www.btistudios.com
Svensktextning.nu|Danske tekster af Nicolai Winther|Scandinavian Text Service 2018|Tak for at se med|Tak fordi du så med
Titulky vytvořil JohnyX|Děkuji za pozornost|Teksting av Nicolai Winther|Takk for at du så på|Kiitos katsomisesta|Köszönöm, hogy megnézte|Mulțumesc pentru vizionare
`;

/**
 * Remarks that transcribers invent but that callers also make. They are dropped only if nothing else indicates that the
 * caller spoke.
 */
const REMARKS = `
Thank you|Thank you very much|Thank you so much|Thanks|Thanks a lot|Thank you, thank you|Bye|Bye-bye|Goodbye|Okay|OK|You|So|Yeah|Oh|Hmm|I'm sorry
Danke|Vielen Dank|Danke schön|Tschüss|Auf Wiedersehen|Merci|Merci beaucoup|Au revoir|Gracias|Muchas gracias|Adiós|Grazie|Grazie mille|Ciao
Obrigado|Obrigada|Muito obrigado|Tchau|Dank u|Dank u wel|Dank je wel|Bedankt|Dziękuję|Dziękuję bardzo|Teşekkürler|Teşekkür ederim
ありがとうございました|ありがとうございます|ありがとう|はい|谢谢|謝謝|谢谢大家|감사합니다|고맙습니다|네|Спасибо|Большое спасибо|Дякую|شكرا|شكرًا|धन्यवाद|ขอบคุณ|ขอบคุณครับ|ขอบคุณค่ะ
Tack|Tack så mycket|Tak|Mange tak|Děkuji|Kiitos|Takk
`;

export type PhantomKind = 'credit' | 'remark';

/**
 * Returns the kind of a text that consists only of credits and remarks, and undefined for any other text. A text with
 * both is a remark.
 */
export function phantomKindOf(text: string): PhantomKind | undefined {
  const said = text
    .split(/[.!?…](?=\s|$)|[。！？\n]/u)
    .map(lettersOf)
    .filter(Boolean);
  const whole = lettersOf(text);
  if (KINDS.has(whole)) return KINDS.get(whole);
  if (said.length === 0 || !said.every((sentence) => KINDS.has(sentence))) return undefined;
  return said.some((sentence) => KINDS.get(sentence) === 'remark') ? 'remark' : 'credit';
}

const KINDS: ReadonlyMap<string, PhantomKind> = new Map([
  ...keysOf(CREDITS).map((key) => [key, 'credit'] as const),
  ...keysOf(REMARKS).map((key) => [key, 'remark'] as const),
]);

function keysOf(lines: string): string[] {
  return lines.trim().split(/[|\n]/).map(lettersOf);
}

function lettersOf(text: string): string {
  const letters = text.normalize('NFKC').toLowerCase();
  return letters.replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '');
}
