"""Chinese names that a reader cannot tell from words by their look: places, companies, schools.

Latin script marks names with a capital; Chinese does not. These lists say where a name is; a name
that a list has and the source has not was made up. They need not be whole: what they lack passes.
"""

from __future__ import annotations

import re
from functools import cache

_PLACES = """
北京 上海 天津 重庆 河北 山西 辽宁 吉林 黑龙江 江苏 浙江 安徽 福建 江西 山东 河南 湖北 湖南 广东
海南 四川 贵州 云南 陕西 甘肃 青海 台湾 内蒙古 广西 西藏 宁夏 新疆 香港 澳门 石家庄 唐山 秦皇岛
邯郸 保定 张家口 承德 沧州 廊坊 太原 大同 沈阳 大连 鞍山 抚顺 锦州 长春 四平 哈尔滨 齐齐哈尔 大庆
牡丹江 南京 无锡 徐州 常州 苏州 南通 连云港 盐城 扬州 镇江 泰州 宿迁 昆山 杭州 宁波 温州 嘉兴
湖州 绍兴 金华 义乌 衢州 舟山 台州 丽水 合肥 芜湖 蚌埠 淮南 马鞍山 安庆 黄山 阜阳 福州 厦门 莆田
泉州 漳州 南平 龙岩 宁德 南昌 景德镇 九江 赣州 上饶 济南 青岛 淄博 枣庄 烟台 潍坊 济宁 泰安 威海
日照 临沂 德州 郑州 开封 洛阳 安阳 新乡 许昌 南阳 信阳 武汉 黄石 十堰 宜昌 襄阳 荆州 长沙 株洲
湘潭 衡阳 岳阳 常德 张家界 广州 深圳 珠海 汕头 佛山 韶关 湛江 茂名 肇庆 惠州 梅州 东莞 中山市
潮州 揭阳 南宁 柳州 桂林 北海 海口 三亚 成都 自贡 攀枝花 泸州 德阳 绵阳 广元 乐山 宜宾 贵阳 遵义
昆明 大理 丽江 西双版纳 香格里拉 拉萨 林芝 西安 咸阳 宝鸡 延安 汉中 兰州 敦煌 天水 西宁 银川
乌鲁木齐 喀什 呼和浩特 包头 台北 高雄 台中 台南 九寨沟 浦东 浦西 陆家嘴 徐家汇 中关村 国贸 望京
三里屯 海淀 朝阳区 西湖 滨江 余杭 南山区 福田 罗湖 天河 越秀 武昌 汉口 中国 美国 英国 法国 德国
日本 韩国 朝鲜 泰国 越南 新加坡 马来西亚 印尼 印度尼西亚 菲律宾 印度 俄罗斯 乌克兰 意大利 西班牙
葡萄牙 荷兰 比利时 瑞士 瑞典 挪威 丹麦 芬兰 冰岛 爱尔兰 奥地利 波兰 捷克 匈牙利 希腊 土耳其 埃及
南非 肯尼亚 摩洛哥 加拿大 墨西哥 巴西 阿根廷 智利 秘鲁 澳大利亚 澳洲 新西兰 迪拜 阿联酋 沙特
以色列 伊朗 柬埔寨 缅甸 老挝 尼泊尔 斯里兰卡 马尔代夫 欧洲 非洲 东南亚 纽约 洛杉矶 旧金山 西雅图
芝加哥 波士顿 华盛顿 硅谷 夏威夷 多伦多 温哥华 蒙特利尔 伦敦 巴黎 柏林 慕尼黑 法兰克福 汉堡市
罗马 米兰 威尼斯 佛罗伦萨 马德里 巴塞罗那 里斯本 阿姆斯特丹 布鲁塞尔 苏黎世 日内瓦 维也纳 布拉格
布达佩斯 雅典 莫斯科 圣彼得堡 斯德哥尔摩 奥斯陆 哥本哈根 赫尔辛基 东京 大阪 京都 北海道 冲绳
名古屋 札幌 首尔 釜山 济州岛 曼谷 清迈 普吉 芭提雅 巴厘岛 吉隆坡 槟城 河内 胡志明 马尼拉 孟买
悉尼 墨尔本 奥克兰
"""
_COMPANIES = """
阿里 阿里巴巴 腾讯 字节 字节跳动 百度 京东 美团 拼多多 网易 华为 中兴 小米公司 滴滴 快手 哔哩哔哩
微博 知乎 携程 蚂蚁集团 联想 海尔 格力 美的集团 比亚迪 蔚来 小鹏 理想汽车 宁德时代 大疆 商汤 旷视
顺丰 圆通 中通 韵达 菜鸟 淘宝 天猫 抖音 苹果公司 微软 谷歌 亚马逊 特斯拉 英特尔 英伟达 甲骨文
脸书 三星 索尼 尼康 佳能 富士胶片 松下 任天堂 丰田 本田 日产 大众汽车 宝马 奔驰 奥迪 保时捷
路易威登 香奈儿 爱马仕 古驰 耐克 阿迪达斯 优衣库 宜家 星巴克 麦当劳 肯德基 必胜客 瑞幸 喜茶 奈雪
海底捞 希尔顿 万豪 喜来登 洲际酒店 凯悦 香格里拉酒店 如家 汉庭 全季 亚朵 工商银行 建设银行
招商银行 农业银行 平安银行 中信
"""
_SCHOOLS = """
清华 北大 复旦 浙大 上交 同济 南大 武大 华科 中大 厦大 川大 人大 北航 北师大 南开 天大 哈工大
西交 中科大 东南大学 华师大 哈佛 剑桥 牛津 斯坦福 麻省理工 耶鲁 普林斯顿 伯克利 协和医院 同仁医院
华西医院 瑞金医院 中山医院
"""
_SOUNDS = (
    "阿埃艾奥巴贝彼宾波伯博布查达戴丹德登蒂迪顿厄恩尔法费弗盖戈格哈汉赫亨霍基吉杰卡凯坎科克肯库拉莱兰勒雷利丽莉卢鲁伦罗洛"
    "玛麦曼梅蒙莫姆穆纳娜尼妮诺欧帕佩皮珀普奇乔琼萨塞森莎什斯丝索塔泰坦特廷图托瓦威维韦温沃乌锡谢辛亚耶伊尤泽扎詹兹佐"
)
_ORDINARY = frozenset("巴士 卡拉 维他 伊始 普查 图文 特登 索尼克 泰斗".split())


@cache
def known_names() -> re.Pattern[str]:
    """Places, companies and schools, and runs of the characters that spell foreign names."""
    names = sorted(
        {*_PLACES.split(), *_COMPANIES.split(), *_SCHOOLS.split()}, key=len, reverse=True
    )
    return re.compile(f"{'|'.join(names)}|[{_SOUNDS}]{{3,8}}")


def short_forms(name: str) -> tuple[str, ...]:
    """What else a name may be called in the source: 浙江大学 for 浙大, 中山市 for 中山."""
    bare = re.sub("公司|集团|银行|酒店|医院|大学|汽车|市$|区$", "", name)
    return (name, bare, *((f"{name[0]}大",) if len(name) > 1 else ()))
