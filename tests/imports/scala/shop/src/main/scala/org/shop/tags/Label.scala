package org.shop.tags
