/** Tags that are names of categories, in Chinese; all other tags are words of what was said. */
import { language } from "./i18n";

const CHINESE: Record<string, string> = {
  user_preference: "偏好", residence: "住处", employer: "工作单位", job: "职业", name: "姓名", age: "年龄", birthday: "生日",
  phone: "电话", email: "邮箱", partner: "伴侣", relationship: "人际关系", health: "健康", possession: "物品", skill: "技能",
  language: "语言", education: "教育", habit: "习惯", origin: "家乡", timezone: "时区", goal: "目标", plan: "计划",
  decision: "决定", mood: "心情", project: "项目", history: "经历", family: "家人", pet: "宠物", diet: "饮食", instruction: "长期指示", other: "其他",
};

export function tagName(tag: string): string {
  if (language() === "zh") return CHINESE[tag] ?? tag;
  return tag in CHINESE ? tag.replaceAll("_", " ") : tag;
}

/** The tag that somebody means who typed what the page shows. */
export function tagOf(words: string): string {
  return Object.keys(CHINESE).find((tag) => tagName(tag) === words) ?? words;
}
